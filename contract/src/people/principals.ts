import { z } from 'zod';
import { canUse } from '../can.ts';
import type { Endpoint } from '../endpoint.ts';
import { roles } from '../roles.ts';
import { byId, counting, email, id, name, paging, shownOnce, text, time } from '../wire.ts';

const role = z.enum(roles);

export const team = z.object({
  id,
  name: z.string(),
  created_at: z.string(),
  your_role: role.nullable(),
  members: z.array(z.object({ principal: z.string(), role })),
});

export const teamActions = [
  'budgets.set',
  'budgets.show',
  'grants.create',
  'groups.create',
  'key_defaults.set',
  'keys.create',
  'principals.create',
  'registry.create',
  'secrets.remove',
  'secrets.set',
  'teams.add_member',
  'teams.delete',
  'teams.remove_member',
] as const;

export const teamDetail = team.extend({ can: canUse(teamActions) });

export const user = z.object({
  id,
  email: z.string(),
  name: z.string(),
  role,
  active: z.boolean(),
  must_change_password: z.boolean(),
  teams: z.array(z.object({ name: z.string(), role })),
  created_at: z.string(),
  mail_expires_at: time.nullable().describe('until when the mailed token works; null without an open token'),
});

/** A user without a password of their own, and the way to get one. */
export const admittedUser = user.extend({
  one_time_password: shownOnce(
    'shown once, so absent when an Idempotency-Key repeats this answer; must be changed at the first sign-in. Also absent when a mail is sent',
  ),
});

const howAdmitted = {
  one_time_password: z
    .boolean()
    .default(false)
    .describe('answer with a one-time password and send no mail, even where mail is set up'),
};

const byTeam = z.strictObject({ team: name });

/** A user who leaves keeps no assets. */
const assets_to = email.optional().describe('the new owner of their assets there; needed when they own any');

export const principalsEndpoints = {
  'teams.list': {
    method: 'GET',
    path: '/api/v1/teams',
    summary: 'Your teams; all teams for platform admins',
    operation: 'team.list',
    query: z.strictObject(paging),
    reply: { kind: 'list', status: 200, schema: team },
    problems: ['bad_cursor'],
  },
  'teams.create': {
    method: 'POST',
    path: '/api/v1/teams',
    summary: 'Create a team',
    operation: 'team.create',
    body: z.strictObject({ name }),
    reply: { kind: 'data', status: 201, schema: team },
    problems: ['exists'],
  },
  'teams.show': {
    method: 'GET',
    path: '/api/v1/teams/{team}',
    summary: 'A team and its members',
    operation: 'team.read',
    params: byTeam,
    reply: { kind: 'data', status: 200, schema: teamDetail },
    problems: [],
  },
  'teams.add_member': {
    method: 'POST',
    path: '/api/v1/teams/{team}/members',
    summary: 'Add a user to a team, or change their role in it',
    operation: 'member.add',
    params: byTeam,
    body: z.strictObject({ principal: z.string().describe('user:<EMAIL>'), role: role.default('viewer') }),
    reply: { kind: 'data', status: 200, schema: team },
    problems: ['last_admin'],
  },
  'teams.remove_member': {
    method: 'DELETE',
    path: '/api/v1/teams/{team}/members/{principal}',
    summary: 'Remove a user from a team',
    operation: 'member.remove',
    params: z.strictObject({ team: name, principal: z.string().describe('user:<EMAIL>') }),
    query: z.strictObject({ assets_to }),
    reply: { kind: 'none', status: 204 },
    problems: ['last_admin', 'owns_assets'],
  },
  'teams.delete': {
    method: 'DELETE',
    path: '/api/v1/teams/{team}',
    summary: 'Delete a team that has no assets, groups or service principals',
    operation: 'team.delete',
    params: byTeam,
    reply: { kind: 'none', status: 204 },
    problems: ['in_use', 'last_admin'],
  },
  'users.list': {
    method: 'GET',
    path: '/api/v1/users',
    summary: 'All users of the organisation',
    operation: 'user.list',
    query: z.strictObject({
      email: email.optional(),
      text: z.string().max(254).optional().describe('a part of the e-mail address or the name'),
      role: role.optional().describe('the platform role'),
      removed: z.stringbool().default(false).describe('the removed users instead'),
      ...paging,
      ...counting,
    }),
    reply: { kind: 'list', status: 200, schema: user },
    problems: ['bad_cursor'],
  },
  'users.create': {
    method: 'POST',
    path: '/api/v1/users',
    summary: 'Create a user: invited by mail where mail is set up, else with a one-time password',
    operation: 'user.create',
    body: z.strictObject({
      email,
      name: text.min(1).max(200).optional(),
      role: role.default('viewer'),
      ...howAdmitted,
    }),
    reply: { kind: 'data', status: 201, schema: admittedUser },
    problems: ['exists'],
  },
  'users.show': {
    method: 'GET',
    path: '/api/v1/users/{id}',
    summary: 'A user of the organisation',
    operation: 'user.list',
    params: byId,
    reply: { kind: 'data', status: 200, schema: user },
    problems: [],
  },
  'users.update': {
    method: 'PUT',
    path: '/api/v1/users/{id}',
    summary:
      'Change the name or the platform role of a user, disable or enable them; takes effect on their next request',
    operation: 'user.change',
    params: byId,
    body: z.strictObject({
      name: text.min(1).max(200).optional(),
      role: role.optional(),
      active: z.boolean().optional(),
    }),
    reply: { kind: 'data', status: 200, schema: user },
    problems: ['last_admin'],
  },
  'users.reset_password': {
    method: 'POST',
    path: '/api/v1/users/{id}/reset-password',
    summary: 'Reset the password of a user and end their sessions; the user gets a one-time password or a mailed token',
    operation: 'user.reset_password',
    params: byId,
    body: z.strictObject(howAdmitted),
    reply: { kind: 'data', status: 201, schema: admittedUser },
    problems: [],
  },
  'users.remove': {
    method: 'DELETE',
    path: '/api/v1/users/{id}',
    summary: 'Remove a user: sessions, teams, groups and entries end; records keep their name',
    operation: 'user.remove',
    params: byId,
    query: z.strictObject({ assets_to }),
    reply: { kind: 'none', status: 204 },
    problems: ['last_admin', 'owns_assets'],
  },
} as const satisfies Record<string, Endpoint>;
