// Names of persons, found by a Presidio analyzer of the organisation's own.
import type { PresidioOptions } from '@gantry/contract/guardrails/pii-detection.ts';
import { z } from 'zod';
import { placesOf } from '../places-of.ts';
import { JudgeFailed, type JudgeRule } from '../rule.ts';
import { mergeSpans } from '../stream.ts';

interface Options {
  presidio: PresidioOptions;
  action: 'redact' | 'block';
  on_failure: 'block' | 'pass';
}

export function namesOfPersons({ presidio, action, on_failure }: Options): JudgeRule {
  const { address, language = 'en', threshold = 0.6 } = presidio;
  return {
    kind: 'judge',
    name: 'pii_detection',
    places: placesOf('pii_detection'),
    reads: 'all',
    on_failure,
    check: async (texts, _, ask) => {
      const spans = await Promise.all(
        texts.map(async (text) => {
          const answer = await ask({
            kind: 'presidio',
            address,
            text,
            language,
            entities: ['PERSON'],
            score_threshold: threshold,
          });
          const found = results.safeParse(answer);
          if (!found.success) throw new JudgeFailed('The answer of Presidio is not a list of results.');
          const places = found.data.filter(({ score }) => score >= threshold).toSorted((a, b) => a.start - b.start);
          const at = utf16Places(text);
          return places.map(({ start, end }) => ({ start: at(start), end: at(end), type: 'PERSON' }));
        }),
      );
      if (spans.every((found) => found.length === 0)) return { kind: 'pass' };
      return action === 'redact'
        ? { kind: 'redact', spans: spans.map(mergeSpans) }
        : { kind: 'block', reason: 'The text has PERSON.' };
    },
  };
}

const results = z.array(z.looseObject({ start: z.int().min(0), end: z.int().min(0), score: z.number() }));

/** Python counts code points. The text is read once, whatever the number of names. */
function utf16Places(text: string): (code_points: number) => number {
  const places: number[] = [];
  let at = 0;
  for (const { length } of text) {
    places.push(at);
    at += length;
  }
  return (code_points) => places[code_points] ?? text.length;
}
