// Grants to read costs and the audit log, beside the roles: for finance and for auditors. They give no other right.
import { z } from 'zod';
import type { Endpoint } from '../endpoint.ts';
import { readingRights, roles } from '../roles.ts';
import { byId, id, name, paging, time } from '../wire.ts';

const right = z.enum(readingRights);
const of = name.nullable().describe('the team; null for the whole organisation');
const principal = z.string().max(264).describe('user:<e-mail>, group:<name> or principal:<name>');

export const readingGrant = z.object({
  id,
  right,
  principal,
  team: of,
  granted_by: z.string(),
  created_at: time,
  expires_at: time.nullable().describe('when it ends or has ended; null for a grant without an end'),
  ended: z.boolean(),
});
export type ReadingGrant = z.output<typeof readingGrant>;

export const readingExplanation = z.object({
  right,
  team: of,
  principal: z.string(),
  allowed: z.boolean(),
  reason: z.string(),
  platform_role: z.enum(roles),
  team_role: z.enum(roles).nullable(),
  grants: z.array(readingGrant).describe('the grants that give it, to them or to their groups'),
  holders: z
    .array(z.object({ principal: z.string(), because: z.string() }))
    .nullable()
    .describe('all who have it, by role or by grant; null when you may not see them'),
  would_change: z.array(z.array(z.string())).describe('each reverses the answer; run the commands of one together'),
});
export type ReadingExplanation = z.output<typeof readingExplanation>;

/** In queries, where null has no spelling. */
const teamOrOrg = name.optional().describe('the whole organisation when absent');

export const readingGrantsEndpoints = {
  'grants.list': {
    method: 'GET',
    path: '/api/v1/rbac/reading-grants',
    summary:
      'The grants to read costs or the log: yours, and those of teams that you administer; all for platform admins',
    operation: 'grant.list',
    query: z.strictObject({
      right: right.optional(),
      team: name.optional(),
      scope: z.literal('org').optional().describe('only grants on the whole organisation'),
      principal: principal.optional(),
      ...paging,
    }),
    reply: { kind: 'list', status: 200, schema: readingGrant },
    problems: ['bad_cursor'],
  },
  'grants.create': {
    method: 'POST',
    path: '/api/v1/rbac/reading-grants',
    summary: 'Let a user, a group or a service principal read the costs or the log of a team or of the organisation',
    operation: 'grant.change',
    body: z.strictObject({
      right,
      principal,
      team: of,
      expires_in_seconds: z
        .int()
        .min(60)
        .max(3650 * 86_400)
        .nullable()
        .default(null)
        .describe('null for a grant without an end'),
    }),
    reply: { kind: 'data', status: 201, schema: readingGrant },
    problems: [],
  },
  'grants.delete': {
    method: 'DELETE',
    path: '/api/v1/rbac/reading-grants/{id}',
    summary: 'Take back a grant; it counts no more for the next request and ends open streams',
    operation: 'grant.change',
    params: byId,
    reply: { kind: 'none', status: 204 },
    problems: [],
  },
  'grants.explain': {
    method: 'GET',
    path: '/api/v1/rbac/reading-grants/explain',
    summary: 'Why a principal may read the costs or the log or not, who else may, and what would change it',
    operation: 'grant.list',
    query: z.strictObject({
      right,
      team: teamOrOrg,
      principal: principal
        .optional()
        .describe('yourself when absent. A question about others needs the right to give it'),
    }),
    reply: { kind: 'data', status: 200, schema: readingExplanation },
    problems: [],
  },
} as const satisfies Record<string, Endpoint>;
