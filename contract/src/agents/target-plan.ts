// What a deploy would send to its target, and which part of that an approval covers. The target makes it without asking anybody.
import { z } from 'zod';

/** Without image, revision, tokens, or a number within `deploy.scaling`: these change with every deploy. */
export const covered = z.object({
  kinds: z.array(z.string()).describe('of what is made; sorted'),
  size: z.object({ cpu: z.string(), memory: z.string() }),
  permissions: z
    .array(z.string())
    .describe(
      'the identities that the agent gets, and what the service does in its name; one more is a wider permission',
    ),
  reach: z
    .array(z.string())
    .describe(
      'from where it is reached, `in: <who>`, and what it reaches, `out: <host:port>`; `*` is everybody, or everything',
    ),
  secrets: z.array(z.string()).describe('their names'),
});
export type Covered = z.output<typeof covered>;

export const monthlyCost = z.object({
  currency: z.literal('USD'),
  idle: z.string().describe('with `scaling.min` instances; a decimal number'),
  max: z.string().describe('with `scaling.max` instances'),
  as_of: z.string().describe('the day of the price list'),
  source: z.string(),
});
export type MonthlyCost = z.output<typeof monthlyCost>;

export const targetPlan = z.object({
  requests: z
    .array(
      z.object({
        action: z.string(),
        resource: z.object({ kind: z.string(), name: z.string() }),
        body: z.unknown(),
      }),
    )
    .describe('in their order. What is known only later is in angle brackets. No value of a secret'),
  broken: z.array(z.string()).describe('what the target would refuse; then nothing is deployed'),
  notes: z.array(z.string()),
  covers: covered.describe('what an approval covers of it'),
  cost: monthlyCost
    .optional()
    .describe('of a month, from a list of prices. Absent where nobody bills by size, and without a known price'),
});
export type TargetPlan = z.output<typeof targetPlan>;
