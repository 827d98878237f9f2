import { z } from 'zod';
import type { Endpoint } from '../endpoint.ts';
import { keyLifetime, keyScopes, limits, modelGlobs, someLimits } from './keys.ts';
import { name, time } from '../wire.ts';

/** Whose calls the limits are for. Every call counts for its key, its holder, its team and the organisation. */
const subject = {
  scope: z.enum(keyScopes),
  scope_id: z.string().max(200).optional().describe('the name or id; yours when absent'),
  team: name.optional().describe('for a user: the team in which the limits apply'),
};

export const budget = z.object({
  scope: z.enum(keyScopes),
  scope_name: z.string(),
  team: z.string().nullable(),
  limits,
  spent: z.object({ daily_usd: z.string(), weekly_usd: z.string(), monthly_usd: z.string() }),
  held: z
    .object({ daily_usd: z.string(), weekly_usd: z.string(), monthly_usd: z.string() })
    .describe('by calls under way'),
  next_call_at: time
    .nullable()
    .describe('when a limit is spent: when the next call can be admitted; a limit of zero never admits one'),
  per_day_usd: z.string().nullable().describe('the average of the last days, at most 7; null without calls'),
  ends_at: time.nullable().describe('when the first limit is spent at this rate; null when every window ends earlier'),
  ends: z.enum(['day', 'week', 'month']).nullable().describe('the window of that limit'),
});
export type Budget = z.output<typeof budget>;

export const keyDefaults = z.object({
  models: modelGlobs,
  limits,
  expires_in_seconds: keyLifetime.nullable(),
});
export type KeyDefaults = z.output<typeof keyDefaults>;

export const budgetsEndpoints = {
  'budgets.show': {
    method: 'GET',
    path: '/api/v1/rbac/budgets',
    summary: 'The limits and the spending of the organisation, a team, a member, a service principal or an agent',
    operation: 'key.list',
    query: z.strictObject(subject),
    reply: { kind: 'data', status: 200, schema: budget },
    problems: [],
  },
  'budgets.set': {
    method: 'PUT',
    path: '/api/v1/rbac/budgets',
    summary: 'Change limits; absent ones stay unchanged, and no later call is admitted under the old ones',
    operation: 'key.list',
    body: z.strictObject({ ...subject, limits: someLimits }),
    reply: { kind: 'data', status: 200, schema: budget },
    problems: [],
  },
  'key_defaults.show': {
    method: 'GET',
    path: '/api/v1/teams/{team}/key-defaults',
    summary: 'What the keys of new members and service principals of a team get',
    operation: 'key_defaults.read',
    params: z.strictObject({ team: name }),
    reply: { kind: 'data', status: 200, schema: keyDefaults },
    problems: [],
  },
  'key_defaults.set': {
    method: 'PUT',
    path: '/api/v1/teams/{team}/key-defaults',
    summary: 'Change what the keys of new members and service principals of a team get; absent parts stay unchanged',
    operation: 'budget.change',
    params: z.strictObject({ team: name }),
    body: z.strictObject({ ...keyDefaults.partial().shape, limits: someLimits.optional() }),
    reply: { kind: 'data', status: 200, schema: keyDefaults },
    problems: [],
  },
} as const satisfies Record<string, Endpoint>;
