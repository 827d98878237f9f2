// Streams and long texts: text is released when no rule can still change it. However a text is cut into chunks, the released text is the same,
// because each rule decides on bounded surroundings and a span is never cut. Held text is bounded: a longer open part is decided in pieces.
import type { Place } from '@gantry/contract/guardrails/places.ts';
import { context_characters, type Passage, type Span, type TextRule } from './rule.ts';
import { yieldTurn } from './yield-turn.ts';

/** Text that the rules have decided. `spans` are offsets in `text`. */
export interface Released {
  text: string;
  spans: RuledSpan[];
}

interface RuledSpan extends Span {
  rule: TextRule['name'];
}

/** The first block ends the text: nothing after it is released. */
export type Screened =
  | { kind: 'released'; parts: Released[] }
  | { kind: 'block'; rule: TextRule['name']; reason: string };

/** The most characters that a stream holds back. */
const most_held_characters = 8192;

/** The end of a full hold that stays held: a match can be this long. */
const overlap_characters = 2048;

/** The most characters that a chunk adds to the held part between two checks. */
const slice_characters = 2048;

/** One text, in chunks, through all text rules of a place. A rule that needs the whole text makes the whole text held. */
export class Window {
  #held = '';
  #before = '';
  #offset = 0;
  #blocked: { rule: TextRule['name']; reason: string } | undefined;
  /** What the rules for passages released, and the text itself, until the rules for whole texts have decided. */
  readonly #waiting: Released[] = [];
  #whole = '';
  readonly #rules: readonly TextRule[];
  readonly #wholeRules: readonly TextRule[];
  readonly #place: Place;

  constructor(rules: readonly TextRule[], place: Place) {
    const here = rules.filter(({ places }) => places.includes(place));
    this.#rules = here.filter(({ streams }) => streams === 'passages');
    this.#wholeRules = here.filter(({ streams }) => streams === 'whole');
    this.#place = place;
  }

  /** Call it again when it has answered. */
  async push(chunk: string): Promise<Screened> {
    const parts: Released[] = [];
    if (this.#wholeRules.length > 0) this.#whole += chunk;
    let at = 0;
    while (at < chunk.length && this.#blocked === undefined) {
      await yieldTurn();
      const taken = Math.min(chunk.length - at, slice_characters, most_held_characters - this.#held.length);
      this.#held += chunk.slice(at, at + taken);
      at += taken;
      await this.#release(parts, false);
    }
    if (this.#wholeRules.length > 0) this.#waiting.push(...parts.splice(0));
    return this.#answer(parts);
  }

  /** The rest of the text. Nothing follows. */
  async end(): Promise<Screened> {
    const parts = this.#waiting.splice(0);
    if (this.#blocked === undefined) await this.#release(parts, true);
    for (const rule of this.#wholeRules) {
      if (this.#blocked !== undefined) break;
      await this.#check(rule, { text: this.#whole, before: '', offset: 0, isLast: true });
    }
    return this.#answer(parts);
  }

  #answer(parts: Released[]): Screened {
    return this.#blocked === undefined ? { kind: 'released', parts } : { kind: 'block', ...this.#blocked };
  }

  async #release(parts: Released[], isLast: boolean): Promise<void> {
    const text = this.#held;
    const isFull = text.length >= most_held_characters;
    const open = isLast ? text.length : this.#openFrom(text);
    if (open === 0 && !isFull && !isLast) return;
    const spans: RuledSpan[] = [];
    for (const rule of this.#rules) {
      spans.push(...(await this.#check(rule, { text, before: this.#before, offset: this.#offset, isLast })));
      if (this.#blocked !== undefined) return;
    }
    const merged = mergeSpans(spans);
    const cut = beforeSpan(merged, open) || (isFull ? pastSpan(merged, text.length - overlap_characters) : 0);
    if (cut === 0) return;
    parts.push({ text: text.slice(0, cut), spans: merged.filter(({ end }) => end <= cut) });
    this.#before = (this.#before + text.slice(0, cut)).slice(-context_characters);
    this.#offset += cut;
    this.#held = text.slice(cut);
  }

  async #check(rule: TextRule, passage: Omit<Passage, 'place'>): Promise<RuledSpan[]> {
    const verdict = await rule.check({ place: this.#place, ...passage });
    if (verdict.kind === 'block') this.#blocked = { rule: rule.name, reason: verdict.reason };
    return verdict.kind === 'redact' ? verdict.spans.map((span) => ({ ...span, rule: rule.name })) : [];
  }

  #openFrom(text: string): number {
    return this.#rules.reduce((open, rule) => Math.min(open, rule.openFrom(text)), text.length);
  }
}

/** The last place up to `at` outside every span. */
const beforeSpan = (spans: readonly Span[], at: number): number =>
  spans.find(({ start, end }) => start < at && end > at)?.start ?? at;

/** As `beforeSpan`, but after a span at the start of the text: the rest must become shorter. */
function pastSpan(spans: readonly Span[], at: number): number {
  return beforeSpan(spans, at) || (spans[0]?.end ?? at);
}

/** Overlapping spans become one, with the type of the first. */
export function mergeSpans<One extends Span>(spans: readonly One[]): One[] {
  const merged: One[] = [];
  for (const span of spans.toSorted((a, b) => a.start - b.start || b.end - a.end)) {
    const last = merged.at(-1);
    if (last === undefined || span.start >= last.end) merged.push({ ...span });
    else last.end = Math.max(last.end, span.end);
  }
  return merged;
}
