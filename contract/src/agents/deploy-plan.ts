import { z } from 'zod';
import { difference } from '../assets/difference.ts';
import { costForecast } from '../models/costs.ts';
import { targetPlan } from './target-plan.ts';

export const verdict = z.object({
  check: z.string(),
  verdict: z.enum(['pass', 'fail', 'notice']),
  detail: z.string(),
});

export const plan = z.object({
  ref: z.string(),
  digest: z.string(),
  target: z.string(),
  deployable: z.boolean(),
  verdicts: z.array(verdict),
  /** Against the running revision; without one, everything is new. */
  running: z.string().nullable(),
  changes: difference,
  unguarded: z
    .string()
    .nullable()
    .describe('why the agent can call a model past its guardrails and budget; null when it cannot'),
  cost: costForecast.nullable().describe('null without `write` on the agent'),
  target_plan: targetPlan
    .nullable()
    .describe('what the deploy would send to its target; null for `local` and engines, and where it cannot be made'),
});
export type Plan = z.output<typeof plan>;
