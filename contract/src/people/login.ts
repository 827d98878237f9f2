import { z } from 'zod';
import { canUse } from '../can.ts';
import type { Endpoint } from '../endpoint.ts';
import { readingRights, roles } from '../roles.ts';
import { email, id, time } from '../wire.ts';

// 1,024 bytes limit the work of a hostile login. Every byte counts (server/src/people/login/password.ts).
const password = z.string().min(1).max(1024);

export const userRecord = z.object({
  id,
  kind: z.enum(['user', 'principal']).describe('a person, or a service principal'),
  email: z.string().nullable().describe('null for a service principal'),
  name: z.string(),
  role: z.enum(roles).describe('platform role'),
  primary_team: z.string().nullable(),
  active_team: z.string().nullable(),
  teams: z.array(z.object({ name: z.string(), role: z.enum(roles) })),
  must_change_password: z.boolean(),
  allowed_assets: z
    .array(z.string())
    .nullable()
    .describe('the assets that a service principal reaches; null for a person'),
});
export type UserRecord = z.output<typeof userRecord>;

export const waitingKey = z.object({ id, team: z.string(), prefix: z.string() });
export type WaitingKey = z.output<typeof waitingKey>;

/** The endpoints for a role in the organisation, or for people only; the budgets and the grants are those of the organisation. */
export const orgActions = [
  'audit.export',
  'audit.follow',
  'audit.key',
  'audit.list',
  'audit.prove',
  'audit.verify',
  'auth.change_password',
  'budgets.set',
  'budgets.show',
  'costs.correct',
  'grants.create',
  'keys.reveal',
  'notifications.count',
  'notifications.list',
  'notifications.read',
  'org.check',
  'org.set',
  'service.doctor',
  'signing_keys.rotate',
  'targets.collect',
  'targets.drift',
  'targets.policy',
  'targets.set_credential',
  'targets.test',
  'teams.create',
  'teams.delete',
  'users.create',
  'users.list',
  'users.remove',
  'users.reset_password',
  'users.show',
  'users.update',
  'webhooks.create',
  'webhooks.delete',
  'webhooks.deliveries',
  'webhooks.list',
  'webhooks.redeliver',
  'webhooks.rotate',
  'webhooks.show',
  'webhooks.test',
] as const;

export const me = userRecord.extend({
  reading: z
    .array(z.object({ id, right: z.enum(readingRights), team: z.string().nullable(), expires_at: time.nullable() }))
    .describe('your grants to read costs or the log, and those of your groups; `team` is null for the organisation'),
  can: canUse(orgActions),
});

export const accessToken = z.object({
  access_token: z.string(),
  token_type: z.literal('bearer'),
  must_change_password: z.boolean(),
  expires_at: z.string(),
  waiting_keys: z.array(waitingKey).describe('gateway keys that you can claim'),
});

export const credentials = z.strictObject({ email, password });

/** The token is in the cookie. */
export const browserSession = accessToken.omit({ access_token: true, token_type: true });

export const loginEndpoints = {
  'auth.login': {
    method: 'POST',
    path: '/api/v1/auth/login',
    summary: 'Sign in with e-mail and password',
    operation: 'session.open',
    body: credentials,
    reply: { kind: 'data', status: 200, schema: accessToken },
    problems: ['bad_credentials'],
  },
  'auth.browser_session': {
    method: 'POST',
    path: '/api/v1/auth/browser-session',
    summary: 'For browsers: sign in with e-mail and password; the session is in a cookie that no script reads',
    operation: 'session.open',
    body: credentials,
    reply: { kind: 'data', status: 200, schema: browserSession },
    problems: ['bad_credentials'],
  },
  'auth.change_password': {
    method: 'POST',
    path: '/api/v1/auth/change-password',
    summary: 'Change your own password; ends your other sessions',
    operation: 'password.change',
    body: z.strictObject({ old_password: password, new_password: password }),
    reply: { kind: 'data', status: 200, schema: userRecord },
    problems: ['weak_password', 'wrong_password'],
  },
  'auth.set_password': {
    method: 'POST',
    path: '/api/v1/auth/set-password',
    summary: 'Choose a password with the token of an invitation or a reset; works once, and ends all your sessions',
    operation: 'password.set',
    body: z.strictObject({ token: z.string().min(1).max(200), new_password: password }),
    reply: { kind: 'data', status: 200, schema: z.object({ email: z.string() }) },
    problems: ['bad_credentials', 'weak_password'],
  },
  'auth.me': {
    method: 'GET',
    path: '/api/v1/auth/me',
    summary: 'Who you are',
    operation: 'session.read',
    reply: { kind: 'data', status: 200, schema: me },
    problems: [],
  },
  'auth.revoke': {
    method: 'POST',
    path: '/api/v1/auth/revoke',
    summary: 'End this session, or all of yours',
    operation: 'session.revoke',
    body: z.strictObject({ all: z.boolean().default(false) }),
    reply: { kind: 'none', status: 204 },
    problems: [],
  },
} as const satisfies Record<string, Endpoint>;
