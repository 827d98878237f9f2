import { z } from 'zod';
import type { Endpoint } from '../endpoint.ts';
import { actions, assetKinds, principalTypes, roles } from '../roles.ts';
import { byId, id, paging, time } from '../wire.ts';

export const permission = z.object({
  id,
  resource_type: z.enum(assetKinds),
  resource_id: id,
  asset: z.string().describe('agents/<name>'),
  principal_type: z.enum(principalTypes),
  principal_id: z.string().nullable().describe('a team name or an e-mail address; null for the whole organisation'),
  actions: z.array(z.enum(actions)),
  created_at: time,
});
export type Permission = z.output<typeof permission>;

export const explanation = z.object({
  asset: z.string().describe('agents/<name>'),
  principal: z.string().describe('user:<e-mail>'),
  action: z.enum(actions),
  allowed: z.boolean(),
  reason: z.string(),
  role: z.enum(roles).describe('the higher of platform_role and team_role'),
  platform_role: z.enum(roles),
  team: z.string().describe('the team of the asset'),
  team_role: z.enum(roles).nullable().describe('in the team of the asset'),
  entries: z.array(permission).describe('the entries that apply to the principal'),
  would_change: z.array(z.array(z.string())).describe('each reverses the answer; run the commands of one together'),
});
export type Explanation = z.output<typeof explanation>;

const resource = {
  resource_type: z.enum(assetKinds),
  resource_id: z.string().min(1).max(100).describe("the asset's id, or its name"),
};
const someActions = z.array(z.enum(actions)).min(1).max(actions.length);

export const permissionsEndpoints = {
  'permissions.list': {
    method: 'GET',
    path: '/api/v1/rbac/permissions',
    summary: 'The access-control entries of the assets that you may read',
    operation: 'permission.list',
    query: z.strictObject({
      resource_type: resource.resource_type.optional(),
      resource_id: resource.resource_id.optional(),
      principal_type: z.enum(principalTypes).optional(),
      principal_id: z.string().max(254).optional(),
      ...paging,
    }),
    reply: { kind: 'list', status: 200, schema: permission },
    problems: ['bad_cursor'],
  },
  'permissions.grant': {
    method: 'POST',
    path: '/api/v1/rbac/permissions',
    summary: 'Grant a principal more actions on an asset; earlier grants stay',
    operation: 'permission.change',
    body: z.strictObject({
      ...resource,
      principal_type: z.enum(principalTypes),
      principal_id: z.string().max(254).nullable().default(null),
      actions: someActions,
    }),
    reply: { kind: 'data', status: 201, schema: permission },
    problems: [],
  },
  'permissions.revoke': {
    method: 'DELETE',
    path: '/api/v1/rbac/permissions/{id}',
    summary: 'Remove an entry, or some of its actions',
    operation: 'permission.change',
    params: byId,
    query: z.strictObject({
      actions: z
        .string()
        .max(100)
        .transform((text) => text.split(','))
        .pipe(someActions)
        .optional()
        .describe('only these, separated by commas; all of them when absent'),
    }),
    reply: { kind: 'none', status: 204 },
    problems: ['last_admin'],
  },
  'permissions.check': {
    method: 'GET',
    path: '/api/v1/rbac/permissions/check',
    summary: 'Check whether you may do an action on an asset, and why',
    operation: 'permission.check',
    query: z.strictObject({ ...resource, action: z.enum(actions) }),
    reply: { kind: 'bare', status: 200, schema: z.object({ allowed: z.boolean(), reason: z.string() }) },
    problems: [],
  },
  'permissions.explain': {
    method: 'GET',
    path: '/api/v1/rbac/permissions/explain',
    summary: 'Why a principal may do an action on an asset or not, and which changes reverse this',
    operation: 'permission.explain',
    query: z.strictObject({
      ...resource,
      action: z.enum(actions),
      principal: z
        .string()
        .max(260)
        .optional()
        .describe('user:<e-mail>; yourself when absent. A question about others needs `admin` on the asset'),
    }),
    reply: { kind: 'data', status: 200, schema: explanation },
    problems: ['rbac_failed', 'target_refuses'],
  },
} as const satisfies Record<string, Endpoint>;
