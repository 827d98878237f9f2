import { z } from 'zod';
import { canUse } from '../can.ts';
import type { Endpoint } from '../endpoint.ts';
import { parseRef } from '../refs.ts';
import { byId, counting, id, name, paging, shownOnce, text, time, usd } from '../wire.ts';

export const keyScopes = ['org', 'team', 'user', 'agent', 'principal'] as const;
export type KeyScope = (typeof keyScopes)[number];

/**
 * - `waiting`   issued to a member or a service principal, who has not claimed it
 * - `paused`    a call cost more than was held for it
 * - `inactive`  issued to an agent, whose deploy has not registered it: it works only while that deploy starts the agent
 */
export const keyStates = ['waiting', 'inactive', 'active', 'paused', 'expired', 'revoked'] as const;

export const budgetDurations = ['daily', 'weekly', 'monthly'] as const;

/** The most that may be spent, and the most calls. Null is no limit. */
export const limits = z.object({
  daily_usd: usd.nullable(),
  weekly_usd: usd.nullable(),
  monthly_usd: usd.nullable(),
  requests_per_minute: z.int().min(0).max(1_000_000).nullable(),
  tokens_per_minute: z.int().min(0).max(1_000_000_000).nullable(),
});
export type Limits = z.output<typeof limits>;
/** The absent ones have a default, or stay unchanged. */
export const someLimits = limits.partial();

export const gatewayKey = z.object({
  id,
  alias: z.string(),
  prefix: z.string().describe('the first 12 characters'),
  scope: z.enum(keyScopes),
  scope_name: z.string().describe('the name of the team, user, agent or service principal'),
  team: z.string().nullable(),
  models: z.array(z.string()).describe('globs over names of models, and agents as `agents/<name>`'),
  limits,
  tags: z.array(z.string()).describe('your own, and `team:…` and `agent:…` of the service'),
  state: z.enum(keyStates),
  issued: z
    .boolean()
    .describe('by the service, to a member, a service principal or an agent; its limits are then those of its holder'),
  created_by: z.string(),
  created_at: time,
  expires_at: time.nullable(),
});
export type GatewayKey = z.output<typeof gatewayKey>;

export const keyActions = ['keys.claim', 'keys.resume', 'keys.reveal', 'keys.revoke', 'keys.rotate'] as const;

export const gatewayKeyDetail = gatewayKey.extend({ can: canUse(keyActions) });
export type GatewayKeyDetail = z.output<typeof gatewayKeyDetail>;

export const gatewayKeyWithValue = gatewayKey.extend({
  key: shownOnce('shown once, so absent when an Idempotency-Key repeats this answer'),
});
export type GatewayKeyWithValue = z.output<typeof gatewayKeyWithValue>;

const modelGlob = z
  .string()
  .regex(/^[a-zA-Z0-9*][a-zA-Z0-9._:/@+*-]{0,199}$/, 'must be a pattern over names of models, such as gpt-*')
  // A pattern would name agents that do not exist yet.
  .refine((glob) => !glob.startsWith('agents/') || parseRef(glob) !== undefined, 'must name one agent: agents/<name>');
export const modelGlobs = z.array(modelGlob).min(1).max(100);
export const keyLifetime = z
  .int()
  .min(60)
  .max(3650 * 86_400);
// Only the service writes `team:…` and `agent:…`, so nobody's costs are attributed to others.
const tag = z.string().regex(/^[a-z0-9][a-z0-9._-]{0,62}$/, 'must be lower-case letters, digits and . _ -, at most 63');

export const keysEndpoints = {
  'keys.list': {
    method: 'GET',
    path: '/api/v1/rbac/keys',
    summary: 'Your gateway keys, and those that you may manage; values are omitted',
    operation: 'key.list',
    query: z.strictObject({
      scope: z.enum(keyScopes).optional(),
      team: name.optional(),
      key: z.string().max(36).optional().describe('its id, or its first 12 characters'),
      all: z.stringbool().default(false).describe('also the revoked ones'),
      ...paging,
      ...counting,
    }),
    reply: { kind: 'list', status: 200, schema: gatewayKey },
    problems: ['bad_cursor'],
  },
  'keys.create': {
    method: 'POST',
    path: '/api/v1/rbac/keys',
    summary: 'Create a gateway key; its value is shown once',
    operation: 'key.create_own',
    body: z.strictObject({
      alias: text.min(1).max(100).optional().describe('a name for people; the scope when absent'),
      scope: z.enum(keyScopes).default('user'),
      scope_id: z
        .string()
        .max(200)
        .optional()
        .describe('the name or id of the team, user, agent or service principal; yours when absent'),
      team: name.optional().describe('the team that pays for a key of your own; your primary team when absent'),
      models: modelGlobs
        .default(['*'])
        .describe(
          'globs over names of models, without those of which you may call none; and agents as `agents/<name>`, which no glob names',
        ),
      max_budget: usd.optional().describe('for `budget_duration`'),
      budget_duration: z.enum(budgetDurations).default('monthly'),
      limits: someLimits.default({}),
      tags: z.array(tag).max(20).default([]),
      expires_in_seconds: keyLifetime.optional(),
    }),
    reply: { kind: 'data', status: 201, schema: gatewayKeyWithValue },
    problems: [],
  },
  'keys.show': {
    method: 'GET',
    path: '/api/v1/rbac/keys/{id}',
    summary: 'A gateway key; its value is omitted',
    operation: 'key.list',
    params: byId,
    reply: { kind: 'data', status: 200, schema: gatewayKeyDetail },
    problems: [],
  },
  'keys.claim': {
    method: 'POST',
    path: '/api/v1/rbac/keys/{id}/claim',
    summary: 'Take a key that waits for you; its value is shown once, and works from now on',
    operation: 'key.create_own',
    params: byId,
    reply: { kind: 'data', status: 200, schema: gatewayKeyWithValue },
    problems: ['key_not_recoverable'],
  },
  'keys.reveal': {
    method: 'GET',
    path: '/api/v1/rbac/keys/{id}/reveal',
    summary: 'See the value of a key again, on record; for platform admins',
    operation: 'key.reveal',
    params: byId,
    reply: { kind: 'data', status: 200, schema: gatewayKeyWithValue },
    problems: ['conflict', 'key_not_recoverable'],
  },
  'keys.rotate': {
    method: 'POST',
    path: '/api/v1/rbac/keys/{id}/rotate',
    summary: 'Replace a key by one with the same rights, limits and spending; the old one ends at once',
    operation: 'key.create_own',
    params: byId,
    reply: { kind: 'data', status: 201, schema: gatewayKeyWithValue },
    problems: ['key_not_recoverable'],
  },
  'keys.resume': {
    method: 'POST',
    path: '/api/v1/rbac/keys/{id}/resume',
    summary: 'End the pause of a key whose call cost more than was held for it; for admins of its team',
    operation: 'key.list',
    params: byId,
    reply: { kind: 'data', status: 200, schema: gatewayKey },
    problems: ['conflict'],
  },
  'keys.revoke': {
    method: 'DELETE',
    path: '/api/v1/rbac/keys/{id}',
    summary: 'Revoke a gateway key; no call begins with it after this answer, and calls under way end within a second',
    operation: 'key.list',
    params: byId,
    reply: { kind: 'none', status: 204 },
    problems: [],
  },
} as const satisfies Record<string, Endpoint>;
