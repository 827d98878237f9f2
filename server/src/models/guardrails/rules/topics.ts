// Topics that a conversation may or may not have. Words decide without a model; a model recognises the rest.
import type { topicsOptions } from '@gantry/contract/guardrails/topics.ts';
import type { z } from 'zod';
import { placesOf } from '../places-of.ts';
import { context_characters, type JudgeRule, type Rule, type TextRule } from '../rule.ts';
import { yieldTurn } from '../../../ground/yield-turn.ts';
import { askForScores } from './ask-for-scores.ts';
import { findWords, openForPhrases } from './words.ts';

type TopicsOptions = z.output<typeof topicsOptions>;

export function topics(options: TopicsOptions): Rule[] {
  const { allow = [], deny = [], model, on_failure = 'block' } = options;
  const denied = deny.flatMap(({ words = [] }) => words);
  return [
    ...(denied.length > 0 ? [byDeniedWords(denied)] : []),
    ...(model !== undefined
      ? [byModel({ allow, deny, model, on_failure })]
      : allow.length > 0
        ? [byAllowedWords(allow)]
        : []),
  ];
}

const head = { name: 'topics', places: placesOf('topics'), reads: 'all' } as const;

function byDeniedWords(words: readonly string[]): TextRule {
  const find = findWords(words);
  const longest = Math.max(...words.map((word) => word.length));
  return {
    ...head,
    kind: 'text',
    streams: 'passages',
    openFrom: (text) => openForPhrases(text, longest),
    check: ({ before, text }) =>
      find(before + text) === undefined
        ? { kind: 'pass' }
        : { kind: 'block', reason: 'The text has a word of a denied topic.' },
  };
}

/** Only the whole text shows that no allowed topic is in it. */
function byAllowedWords(allow: NonNullable<TopicsOptions['allow']>): TextRule {
  const words = allow.flatMap((topic) => topic.words ?? []);
  const find = findWords(words);
  return {
    ...head,
    kind: 'text',
    streams: 'whole',
    openFrom: () => 0,
    check: async ({ text, signal }) => {
      for (const slice of overlappingSlices(text)) {
        await yieldTurn(signal);
        if (find(slice) !== undefined) return { kind: 'pass' };
      }
      return { kind: 'block', reason: 'The text is outside the allowed topics.' };
    },
  };
}

/** A letter stands for the text before and after a slice, so that no part of a word is a word. */
function* overlappingSlices(text: string): Generator<string> {
  for (let at = 0; at < text.length; at += slice_characters) {
    const from = Math.max(0, at - context_characters);
    const to = Math.min(text.length, at + slice_characters);
    yield `${from > 0 ? 'x' : ''}${text.slice(from, to)}${to < text.length ? 'x' : ''}`;
  }
}

const slice_characters = 8192;

function byModel({ allow, deny, model, on_failure }: Required<TopicsOptions>): JudgeRule {
  const named = [...allow, ...deny].map(({ name }, index) => ({ label: `topic_${index + 1}`, name }));
  return {
    ...head,
    kind: 'judge',
    on_failure,
    check: async (texts, _, ask) => {
      const task = `Score how much each text is about each topic, from 0 to 1.\n${named.map(({ label, name }) => `${label}: ${name}`).join('\n')}`;
      const scores = await askForScores(
        { model, name: 'topic_scores', task, labels: named.map(({ label }) => label), texts },
        ask,
      );
      const has = (score: Record<string, number>, index: number) => (score[`topic_${index + 1}`] ?? 0) >= 0.5;
      if (scores.some((score) => deny.some((_topic, n) => has(score, allow.length + n))))
        return { kind: 'block', reason: 'The text is about a denied topic.' };
      if (allow.length > 0 && scores.some((score) => !allow.some((_topic, n) => has(score, n))))
        return { kind: 'block', reason: 'The text is outside the allowed topics.' };
      return { kind: 'pass' };
    },
  };
}
