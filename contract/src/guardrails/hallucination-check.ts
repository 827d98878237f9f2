import { z } from 'zod';
import { modelId } from '../identifiers.ts';

export const hallucinationCheckOptions = z.strictObject({
  model: modelId.optional().describe('The chat model that scores each sentence; unset: `model.primary` of the agent'),
  threshold: z.number().min(0).max(1).optional().describe('The lowest score of a supported sentence; unset: 0.5'),
  action: z.enum(['annotate', 'block']).optional().describe('annotate names the sentences; unset: annotate'),
  on_failure: z
    .enum(['block', 'pass'])
    .optional()
    .describe(
      'When the model is away or its answer is unusable; unset: pass with `annotate`, and X-Guardrails then has `failed`; else block',
    ),
});
