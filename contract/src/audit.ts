import { z } from 'zod';
import type { Endpoint } from './endpoint.ts';
import { paging } from './wire.ts';

/** Sign-ins, refusals and exports have a chain of their own, so that a flood of them delays no governed change. */
export const chains = ['signin', 'governance'] as const;
export type Chain = (typeof chains)[number];

/** Every event, and the chain it stands in. */
export const auditEvents = {
  'login.succeeded': 'signin',
  'login.failed': 'signin',
  'token.issued': 'signin',
  'session.revoked': 'signin',
  refused: 'signin',
  'audit.exported': 'signin',
  'org.seeded': 'governance',
  'settings.changed': 'governance',
  'password.changed': 'governance',
  'password.flagged': 'governance',
  'user.created': 'governance',
  'user.changed': 'governance',
  'user.removed': 'governance',
  'team.created': 'governance',
  'team.deleted': 'governance',
  'member.added': 'governance',
  'member.removed': 'governance',
  'group.created': 'governance',
  'group.changed': 'governance',
  'group.deleted': 'governance',
  'principal.created': 'governance',
  'principal.changed': 'governance',
  'principal.key_rotated': 'governance',
  'principal.deleted': 'governance',
  'permission.changed': 'governance',
  'asset.created': 'governance',
  'asset.changed': 'governance',
  'asset.transferred': 'governance',
  'asset.published': 'governance',
  'asset.unpublished': 'governance',
  'asset.deleted': 'governance',
  'version.pushed': 'governance',
  'approval.submitted': 'governance',
  'approval.voted': 'governance',
  'approval.decided': 'governance',
  'approval.withdrawn': 'governance',
  'approval.revoked': 'governance',
  'approval.expired': 'governance',
  'approval.commented': 'governance',
  'deploy.started': 'governance',
  'deploy.bypassed_approval': 'governance',
  deploy: 'governance',
  'deploy.failed': 'governance',
  'deploy.cancelled': 'governance',
  'agent.stopped': 'governance',
  'agent.started': 'governance',
  'agent.restarted': 'governance',
  'webhook.created': 'governance',
  'webhook.rotated': 'governance',
  'webhook.deleted': 'governance',
} as const satisfies Record<string, Chain>;
export type AuditEvent = keyof typeof auditEvents;

export const outcomes = ['done', 'refused'] as const;

/** What an entry says, as it is stored: canonical JSON whose exact text is hashed. */
export const auditBody = z.object({
  schema: z.literal(1),
  event: z.string(),
  outcome: z.enum(outcomes),
  actor: z.object({ kind: z.string(), id: z.string().nullable(), name: z.string() }),
  team: z.string().nullable(),
  asset: z.string().nullable(),
  ip: z.string().nullable(),
  request_id: z.string().nullable(),
  detail: z.record(z.string(), z.json()),
});
export type AuditBody = z.output<typeof auditBody>;

export const auditEntry = auditBody.omit({ schema: true }).extend({
  chain: z.enum(chains),
  seq: z.number().int(),
  occurred_at: z.string(),
  hash: z.string(),
});
export type AuditEntry = z.output<typeof auditEntry>;

export const damageKinds = [
  'gap',
  'broken_link',
  'bad_hash',
  'head_mismatch',
  'trigger_missing',
  'head_unknown',
] as const;

export const verification = z.object({
  /** `true_as_anchored` needs a head noted earlier; without one nothing says that the tail was not cut off. */
  verdict: z.enum(['true_as_anchored', 'unanchored', 'damaged']),
  chains: z.array(z.object({ chain: z.enum(chains), entries: z.number().int(), head: z.string() })),
  damage: z.array(
    z.object({
      chain: z.enum(chains),
      seq: z.number().int().nullable(),
      kind: z.enum(damageKinds),
      detail: z.string(),
    }),
  ),
  /** What to note down now and hand to the next verification. */
  head: z.string(),
});
export type Verification = z.output<typeof verification>;

export const auditEndpoints = {
  'audit.list': {
    method: 'GET',
    path: '/api/v1/audit',
    summary: 'The audit log: all of it for platform admins, a team for its admins, an asset for its owner',
    operation: 'audit.read',
    query: z.strictObject({
      asset: z.string().max(100).optional(),
      user: z.string().max(254).optional(),
      action: z.string().max(60).optional().describe('an event, or the part of it before the dot'),
      outcome: z.enum(outcomes).optional(),
      since: z.iso.datetime().optional(),
      until: z.iso.datetime().optional(),
      ...paging,
    }),
    reply: { kind: 'list', status: 200, schema: auditEntry },
    problems: ['bad_cursor', 'bad_reference'],
  },
  'audit.verify': {
    method: 'GET',
    path: '/api/v1/audit/verify',
    summary: 'Recompute every hash of every chain, against a head noted earlier',
    operation: 'audit.verify',
    query: z.strictObject({ head: z.string().max(400).optional() }),
    reply: { kind: 'data', status: 200, schema: verification },
    problems: [],
  },
} as const satisfies Record<string, Endpoint>;
