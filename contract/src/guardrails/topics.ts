import { z } from 'zod';
import { modelId } from '../identifiers.ts';
import { listOf } from '../formats/list-of.ts';

const topic = z.strictObject({
  name: z.string().min(1).max(100).describe('The topic, in words that the model understands'),
  words: listOf(z.string().min(2).max(100), 100)
    .optional()
    .describe('Words of the topic, which decide without a model'),
});

export const topicsOptions = z
  .strictObject({
    allow: listOf(topic, 50).optional().describe('The only topics'),
    deny: listOf(topic, 50).optional().describe('Topics that are refused'),
    model: modelId.optional().describe('A chat model of the catalogue that recognises the topics; unset: words decide'),
    on_failure: z
      .enum(['block', 'pass'])
      .optional()
      .describe('When the model is away or its answer is unusable; unset: block'),
  })
  .refine(({ allow = [], deny = [] }) => allow.length + deny.length > 0, { error: 'needs `allow` or `deny`' })
  .superRefine(({ allow = [], deny = [], model }, context) => {
    if (model !== undefined) return;
    for (const [list, topics] of Object.entries({ allow, deny }))
      for (const [index, { words = [] }] of topics.entries())
        if (words.length === 0)
          context.addIssue({
            code: 'custom',
            path: [list, index],
            message: 'needs `words`, or the list needs `model`',
          });
  });
