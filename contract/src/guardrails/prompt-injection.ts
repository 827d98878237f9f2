import { z } from 'zod';
import { modelId } from '../identifiers.ts';

export const promptInjectionOptions = z.strictObject({
  action: z.enum(['block', 'redact']).optional().describe('redact removes the instruction; unset: block'),
  model: modelId.optional().describe('A chat model of the catalogue that reads each tool result as well'),
  threshold: z.number().min(0).max(1).optional().describe("The model's score that blocks; unset: 0.7"),
  on_failure: z
    .enum(['block', 'pass'])
    .optional()
    .describe('When the model is away or its answer is unusable; unset: block'),
});
