// Each sentence of an answer, scored by a model against all that the agent was given. One request for all sentences.
import type { hallucinationCheckOptions } from '@gantry/contract/guardrails/hallucination-check.ts';
import type { z } from 'zod';
import { placesOf } from '../places-of.ts';
import { JudgeFailed, type Given, type JudgeRule, type Note } from '../rule.ts';
import { askForScores } from './ask-for-scores.ts';

type HallucinationCheckOptions = z.output<typeof hallucinationCheckOptions>;

export function hallucinationCheck(
  // A check that only annotates must not block each answer while its model is away.
  {
    model,
    threshold = 0.5,
    action = 'annotate',
    on_failure = action === 'annotate' ? 'pass' : 'block',
  }: HallucinationCheckOptions,
  agent_model: string | undefined,
): JudgeRule {
  return {
    kind: 'judge',
    name: 'hallucination_check',
    places: placesOf('hallucination_check'),
    reads: 'answer',
    on_failure,
    check: async (texts, { given }, ask) => {
      const judge = model ?? agent_model;
      if (judge === undefined) throw new JudgeFailed('No model is set for this guardrail.');
      const sentences = texts.flatMap((text, text_index) =>
        sentencesOf(text).map((sentence) => ({ ...sentence, text_index })),
      );
      if (sentences.length === 0) return { kind: 'pass' };
      if (sentences.length > most_sentences)
        throw new JudgeFailed(`The answer has more than ${most_sentences} sentences.`);
      const scores = await askForScores(
        {
          model: judge,
          name: 'support_scores',
          task,
          labels: ['support'],
          texts: sentences.map(({ text }) => text),
          given: shorten(given),
        },
        ask,
      );
      const notes: Note[] = sentences
        .map(({ text_index, start, end }, n) => ({ text_index, start, end, score: scores[n]?.support ?? 0 }))
        .filter(({ score }) => score < threshold);
      if (notes.length === 0) return { kind: 'pass' };
      return action === 'annotate'
        ? { kind: 'annotate', notes }
        : { kind: 'block', reason: `${notes.length} of ${sentences.length} sentences have no support.` };
    },
  };
}

const task =
  'The given data is everything that an agent knew. Each text is one sentence of its answer. Score from 0 (contradicted or invented) to 1 (supported). A sentence without a claim, such as a greeting or a question, scores 1.';

const most_sentences = 200;
const most_given_characters = 200_000;

/** The newest data first: it is closest to the answer. The order is kept. */
function shorten(given: readonly Given[]): string[] {
  let left = most_given_characters;
  const kept: string[] = [];
  for (const { source, text } of given.toReversed()) {
    if (left <= 0) break;
    kept.push(`${source}: ${text.slice(0, left)}`);
    left -= text.length;
  }
  return kept.toReversed();
}

function sentencesOf(text: string): { text: string; start: number; end: number }[] {
  const segmenter = new Intl.Segmenter(undefined, { granularity: 'sentence' });
  return [...segmenter.segment(text)]
    .filter(({ segment }) => /[\p{L}\p{N}]/u.test(segment))
    .map(({ segment, index }) => ({ text: segment.trim(), start: index, end: index + segment.trimEnd().length }));
}
