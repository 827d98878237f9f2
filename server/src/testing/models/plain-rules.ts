// Two small rules for tests of the pipeline: one hides e-mail addresses, one blocks a word. The real rules have tests of their own.
import { places } from '@gantry/contract/guardrails/places.ts';
import { askNobody, GuardedCall, nothingGiven } from '../../models/guardrails/guarded-call.ts';
import type { Rule, TextRule } from '../../models/guardrails/rule.ts';

const email = /[\w.]+@[\w.]+\.\w+/g;

export const hidesEmail: TextRule = {
  kind: 'text',
  name: 'pii_detection',
  places: ['model_in', 'model_out', 'ingress_out'],
  reads: 'all',
  streams: 'passages',
  openFrom: (text) => text.length - (/[\w.@]*$/.exec(text)?.[0].length ?? 0),
  check: ({ text }) => {
    const spans = [...text.matchAll(email)].map(({ index, 0: { length } }) => ({
      start: index,
      end: index + length,
      type: 'EMAIL',
    }));
    return spans.length === 0 ? { kind: 'pass' } : { kind: 'redact', spans };
  },
};

export const blocksWord: TextRule = {
  kind: 'text',
  name: 'content_filter',
  places,
  reads: 'all',
  streams: 'passages',
  openFrom: (text) => Math.max(0, text.length - 'forbidden'.length),
  check: ({ text }) =>
    text.includes('forbidden') ? { kind: 'block', reason: 'a word of its list' } : { kind: 'pass' },
};

/** The signal of a call that nobody ends. */
export const endless = new AbortController().signal;

export function guardedCall(...rules: Rule[]): GuardedCall {
  return endingCall(endless, ...rules);
}

/** Its checks end with the signal. */
export function endingCall(signal: AbortSignal, ...rules: Rule[]): GuardedCall {
  return new GuardedCall(rules, {
    ask: askNobody,
    given: nothingGiven,
    record: { count: () => {}, block: async () => {} },
    signal,
  });
}
