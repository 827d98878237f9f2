import { z } from 'zod';

/** Why somebody must look at an agent: its container, its model, its budget, or most of its calls. */
export const attention = z.object({
  kind: z.enum(['failed', 'unknown', 'crashing', 'budget', 'model', 'errors']),
  detail: z.string(),
});
export type Attention = z.output<typeof attention>;
