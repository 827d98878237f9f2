// Folds refused calls to models. A client that repeats a refused call at once makes thousands of spans, which would push the useful days out
// of the storage. Promises: the first refusal of a key, a code and a run is passed on at once; those after it become one span in a minute,
// which has their number. Metrics and figures count each one, because they are before this.
import { problems } from '@gantry/contract/problems.ts';
import type { Span } from './span.ts';
import type { SpanSink } from './spans.ts';

const fold_every_ms = 60_000;
const max_keys = 10_000;
const folded_statuses: readonly number[] = [403, 429];

interface Folded {
  count: number;
  first_us: number;
  last: Span;
}

export function foldRefusals(to: SpanSink): SpanSink {
  const known = new Map<string, Folded>();

  /** Passes a refusal on, or counts it. */
  function isCounted(span: Span): boolean {
    if (!isRefusal(span)) return false;
    const key = `${String(span.attributes['key_id'])} ${span.error} ${span.run_id}`;
    const folded = known.get(key);
    if (folded === undefined) {
      const [oldest] = known;
      if (known.size >= max_keys && oldest !== undefined) {
        passOn(oldest[1]);
        known.delete(oldest[0]);
      }
      known.set(key, { count: 0, first_us: span.started_us, last: span });
      return false;
    }
    if (folded.count === 0) folded.first_us = span.started_us;
    folded.count++;
    folded.last = span;
    return true;
  }

  function passOn({ count, first_us, last }: Folded): void {
    if (count === 0) return;
    to.add([{ ...last, started_us: first_us, attributes: { ...last.attributes, refused_calls: count } }]);
  }

  /** The next refusal of a key that was quiet for a whole minute is a first one again. */
  function turn(): void {
    for (const [key, folded] of known) {
      passOn(folded);
      if (folded.count === 0) known.delete(key);
      else folded.count = 0;
    }
  }

  const folding = setInterval(turn, fold_every_ms);

  return {
    add: (spans) => {
      const passed = spans.filter((span) => !isCounted(span));
      if (passed.length > 0) to.add(passed);
    },
    flush: async () => {
      turn();
      await to.flush();
    },
    close: async () => {
      clearInterval(folding);
      turn();
      await to.close();
    },
  };
}

/** Before any attempt. A call that a guardrail has changed keeps its span. */
function isRefusal({ source, error, attributes }: Span): boolean {
  const { attempts } = attributes;
  if (source !== 'gateway' || error === null || !Array.isArray(attempts) || attempts.length > 0) return false;
  const refused: Readonly<Record<string, { status: number } | undefined>> = problems;
  const isGuarded = Object.keys(attributes).some((name) => name.startsWith('guardrail.'));
  return !isGuarded && folded_statuses.includes(refused[error]?.status ?? 0);
}
