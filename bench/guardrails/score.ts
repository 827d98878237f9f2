import type { Span, TextRule } from '../../server/src/models/guardrails/rule.ts';
import type { Sample } from './fill.ts';

interface TypeScore {
  type: string;
  values: number;
  found: number;
  whole: number;
  typed: number;
}

export async function spansIn(text: string, rules: readonly TextRule[]): Promise<Span[]> {
  const spans: Span[] = [];
  for (const rule of rules) {
    const verdict = await rule.check({ place: 'model_in', text, before: '', offset: 0, isLast: true });
    if (verdict.kind === 'redact') spans.push(...verdict.spans);
  }
  return spans;
}

export async function score(
  samples: readonly Sample[],
  rules: readonly TextRule[],
): Promise<{ types: TypeScore[]; redactions: number; right: number }> {
  const types = new Map<string, TypeScore>();
  let redactions = 0;
  let right = 0;
  for (const { text, values } of samples) {
    const spans = await spansIn(text, rules);
    redactions += spans.length;
    right += spans.filter((span) => values.some((value) => overlap(span, value))).length;
    for (const value of values) {
      const one = types.get(value.type) ?? { type: value.type, values: 0, found: 0, whole: 0, typed: 0 };
      types.set(value.type, one);
      const over = spans.filter((span) => overlap(span, value));
      one.values++;
      if (over.length > 0) one.found++;
      if (over.some(({ start, end }) => start <= value.start && end >= value.end)) one.whole++;
      if (over.some(({ type }) => type === value.type)) one.typed++;
    }
  }
  return { types: [...types.values()], redactions, right };
}

const overlap = (a: { start: number; end: number }, b: { start: number; end: number }): boolean =>
  a.start < b.end && b.start < a.end;
