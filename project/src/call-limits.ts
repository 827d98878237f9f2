// How often a server may be called, and what a call costs. Only who owns the server sets it.
import { z } from 'zod';
import { toolName } from '@gantry/contract/identifiers.ts';
import { listOf } from '@gantry/contract/formats/list-of.ts';
import { usd } from '@gantry/contract/wire.ts';

const perMinute = z.int().min(1).max(100_000).optional();

export const callRate = z
  .strictObject({
    agent: perMinute.describe('Of one agent, for all its callers'),
    caller: perMinute.describe('Of one agent for one end caller'),
  })
  .describe('The most calls per minute');
export type CallRate = z.output<typeof callRate>;

const price = z.strictObject({
  tools: listOf(toolName, 100).min(1).optional().describe('Only for these tools; unset: for all'),
  usd: usd.describe('What one call costs, as decimal text'),
});

export const callLimitFields = {
  rate: callRate.optional(),
  prices: z
    .array(price)
    .max(100)
    .optional()
    .describe('What calls cost. The budgets of the agent pay. The first entry for a tool counts'),
};

/** Undefined for a tool without a price. */
export function priceOf(tool: string, { prices = [] }: { prices?: z.output<typeof price>[] | undefined }) {
  return prices.find(({ tools }) => tools === undefined || tools.includes(tool))?.usd;
}
