import { z } from 'zod';
import { canUse } from '../can.ts';
import type { Endpoint } from '../endpoint.ts';
import { byId, email, id, name, paging, text, time } from '../wire.ts';

export const groupMember = z.object({ id, email: z.string() });

export const group = z.object({
  id,
  name: z.string(),
  team: z.string(),
  description: z.string(),
  members: z.array(groupMember).describe('active users of its team'),
  created_at: time,
});
export type Group = z.output<typeof group>;

export const groupActions = ['groups.add_member', 'groups.delete', 'groups.remove_member', 'groups.update'] as const;

export const groupDetail = group.extend({ can: canUse(groupActions) });
export type GroupDetail = z.output<typeof groupDetail>;

const description = text.max(1000);

export const groupsEndpoints = {
  'groups.list': {
    method: 'GET',
    path: '/api/v1/rbac/groups',
    summary: "Your teams' groups; all of them for platform admins",
    operation: 'group.list',
    query: z.strictObject({ team: name.optional(), name: name.optional(), ...paging }),
    reply: { kind: 'list', status: 200, schema: group },
    problems: ['bad_cursor'],
  },
  'groups.create': {
    method: 'POST',
    path: '/api/v1/rbac/groups',
    summary: 'Create a group of users of a team',
    operation: 'group.change',
    body: z.strictObject({ name, team: name, description: description.default('') }),
    reply: { kind: 'data', status: 201, schema: group },
    problems: ['exists'],
  },
  'groups.show': {
    method: 'GET',
    path: '/api/v1/rbac/groups/{id}',
    summary: 'A group and its members',
    operation: 'group.read',
    params: byId,
    reply: { kind: 'data', status: 200, schema: groupDetail },
    problems: [],
  },
  'groups.update': {
    method: 'PUT',
    path: '/api/v1/rbac/groups/{id}',
    summary: 'Change the name or the description of a group',
    operation: 'group.change',
    params: byId,
    body: z.strictObject({ name: name.optional(), description: description.optional() }),
    reply: { kind: 'data', status: 200, schema: group },
    problems: ['exists'],
  },
  'groups.delete': {
    method: 'DELETE',
    path: '/api/v1/rbac/groups/{id}',
    summary: 'Delete a group and its grants',
    operation: 'group.change',
    params: byId,
    reply: { kind: 'none', status: 204 },
    problems: ['last_admin'],
  },
  'groups.add_member': {
    method: 'POST',
    path: '/api/v1/rbac/groups/{id}/members',
    summary: "Add a user of the group's team",
    operation: 'group.change',
    params: byId,
    body: z.strictObject({ email }),
    reply: { kind: 'data', status: 200, schema: group },
    problems: [],
  },
  'groups.remove_member': {
    method: 'DELETE',
    path: '/api/v1/rbac/groups/{id}/members/{member_id}',
    summary: 'Remove a user from a group',
    operation: 'group.change',
    params: z.strictObject({ id, member_id: id.describe("the user's id, as the group's members have it") }),
    reply: { kind: 'none', status: 204 },
    problems: [],
  },
} as const satisfies Record<string, Endpoint>;
