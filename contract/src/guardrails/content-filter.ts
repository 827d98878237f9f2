import { z } from 'zod';
import { modelId } from '../identifiers.ts';
import { listOf } from '../formats/list-of.ts';
import { pattern } from './pattern.ts';

export const contentCategories = [
  'harassment',
  'hate',
  'illicit',
  'self_harm',
  'sexual',
  'sexual_minors',
  'violence',
] as const;
export type ContentCategory = (typeof contentCategories)[number];

const threshold = (category: string) =>
  z
    .number()
    .min(0)
    .max(1)
    .optional()
    .describe(`The score of ${category.replaceAll('_', ' ')} that blocks`);

export const contentFilterOptions = z
  .strictObject({
    words: listOf(z.string().min(2).max(100), 1000)
      .optional()
      .describe('Words and phrases; case and accents do not count'),
    patterns: listOf(pattern, 100).optional().describe('Patterns of at most 256 matching characters'),
    model: modelId
      .optional()
      .describe(
        'Scores the categories: a moderation model or a chat model of the catalogue; unset: `model.primary` of the agent',
      ),
    model_kind: z
      .enum(['moderation', 'chat'])
      .optional()
      .describe("moderation: the model has OpenAI's /moderations; unset: chat"),
    categories: z
      .strictObject(Object.fromEntries(contentCategories.map((one) => [one, threshold(one)])) as Thresholds)
      .optional()
      .describe('Thresholds from 0 to 1; unset: 0.5 for every category'),
    on_failure: z
      .enum(['block', 'pass'])
      .optional()
      .describe('When the model is away or its answer is unusable; unset: block'),
  })
  .refine(({ model, model_kind }) => model_kind === undefined || model !== undefined, {
    error: 'needs `model`',
    path: ['model_kind'],
  });
export type ContentFilterOptions = z.output<typeof contentFilterOptions>;

/** Words or patterns alone ask no model. Without any option, the agent's own model scores every category. */
export const scoresCategories = ({ words, patterns, model, categories }: ContentFilterOptions = {}): boolean =>
  model !== undefined || categories !== undefined || (words === undefined && patterns === undefined);

/** `Object.fromEntries` loses the names of the categories. */
type Thresholds = Record<ContentCategory, ReturnType<typeof threshold>>;
