import { z } from 'zod';
import { globPattern } from './asset-globs.ts';
import { canUse } from '../can.ts';
import type { Endpoint } from '../endpoint.ts';
import { accessToken } from './login.ts';
import { roles } from '../roles.ts';
import { byId, id, name, paging, shownOnce, text, time } from '../wire.ts';

/** The spec recommends a new key about every 90 days. */
export const rotate_after_days = 90;

export const serviceKey = z.object({
  id,
  prefix: z.string().describe('the first 12 characters'),
  issued_to: z.string().describe('the user who has seen it'),
  created_at: time,
  last_used_at: time.nullable(),
  ends_at: time.nullable().describe('when it stops working; null for the current key'),
});

export const servicePrincipal = z.object({
  id,
  name: z.string(),
  team: z.string(),
  role: z.enum(roles),
  allowed_assets: z.array(z.string()),
  description: z.string(),
  created_by: z.string(),
  created_at: time,
  keys: z.array(serviceKey).describe('the working keys, newest first'),
  key_age_days: z.number().int().nullable().describe('of the newest key; null when none works'),
  key_is_old: z.boolean().describe(`the newest key is older than ${rotate_after_days} days`),
});
export type ServicePrincipal = z.output<typeof servicePrincipal>;

export const principalActions = ['principals.delete', 'principals.rotate_key', 'principals.update'] as const;

export const servicePrincipalDetail = servicePrincipal.extend({ can: canUse(principalActions) });
export type ServicePrincipalDetail = z.output<typeof servicePrincipalDetail>;

export const servicePrincipalWithKey = servicePrincipal.extend({
  key: shownOnce('shown once, so absent when an Idempotency-Key repeats this answer'),
});
export type ServicePrincipalWithKey = z.output<typeof servicePrincipalWithKey>;

const allowed_assets = z
  .array(z.string().regex(globPattern, 'must be a pattern such as agents/*'))
  .max(50)
  .describe('globs such as agents/*; an empty list matches nothing');

export const servicePrincipalsEndpoints = {
  'principals.list': {
    method: 'GET',
    path: '/api/v1/rbac/service-principals',
    summary: "Your teams' service principals; all of them for platform admins",
    operation: 'principal.list',
    query: z.strictObject({ team: name.optional(), name: name.optional(), ...paging }),
    reply: { kind: 'list', status: 200, schema: servicePrincipal },
    problems: ['bad_cursor'],
  },
  'principals.create': {
    method: 'POST',
    path: '/api/v1/rbac/service-principals',
    summary: 'Create a service principal of a team; its key is shown once',
    operation: 'principal.change',
    body: z.strictObject({
      name,
      team: name,
      role: z.enum(roles).default('viewer'),
      allowed_assets: allowed_assets.default([]),
      description: text.max(1000).default(''),
    }),
    reply: { kind: 'data', status: 201, schema: servicePrincipalWithKey },
    problems: ['exists'],
  },
  'principals.show': {
    method: 'GET',
    path: '/api/v1/rbac/service-principals/{id}',
    summary: 'A service principal and its keys',
    operation: 'principal.read',
    params: byId,
    reply: { kind: 'data', status: 200, schema: servicePrincipalDetail },
    problems: [],
  },
  'principals.update': {
    method: 'PUT',
    path: '/api/v1/rbac/service-principals/{id}',
    summary: 'Change the role, the allowed assets or the description; takes effect on the next request',
    operation: 'principal.change',
    params: byId,
    body: z.strictObject({
      role: z.enum(roles).optional(),
      allowed_assets: allowed_assets.optional(),
      description: text.max(1000).optional(),
    }),
    reply: { kind: 'data', status: 200, schema: servicePrincipal },
    problems: [],
  },
  'principals.delete': {
    method: 'DELETE',
    path: '/api/v1/rbac/service-principals/{id}',
    summary: 'Delete a service principal, its keys and its grants',
    operation: 'principal.change',
    params: byId,
    reply: { kind: 'none', status: 204 },
    problems: ['last_admin'],
  },
  'principals.rotate_key': {
    method: 'POST',
    path: '/api/v1/rbac/service-principals/{id}/rotate-key',
    summary: 'Create a new key; earlier keys end, at once or after a grace',
    operation: 'principal.change',
    params: byId,
    body: z.strictObject({
      grace_seconds: z
        .number()
        .int()
        .min(0)
        .max(30 * 86_400)
        .default(0)
        .describe('how long earlier keys keep working'),
    }),
    reply: { kind: 'data', status: 201, schema: servicePrincipalWithKey },
    problems: [],
  },
  'auth.exchange_key': {
    method: 'POST',
    path: '/api/v1/auth/token',
    summary: "Exchange a service principal's key for a token of 15 minutes",
    operation: 'session.open',
    body: z.strictObject({ key: z.string().min(1).max(200) }),
    reply: { kind: 'data', status: 200, schema: accessToken },
    problems: ['bad_credentials'],
  },
} as const satisfies Record<string, Endpoint>;
