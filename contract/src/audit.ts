import { z } from 'zod';
import type { Endpoint } from './endpoint.ts';
import { json, paging } from './wire.ts';

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
  'signin.pruned': 'signin',
  'signin.resealed': 'signin',
  'audit.heartbeat': 'governance',
  'governance.pruned': 'governance',
  'governance.resealed': 'governance',
  'org.seeded': 'governance',
  'settings.changed': 'governance',
  'password.changed': 'governance',
  'password.flagged': 'governance',
  'password.reset': 'governance',
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
  'webhook.tested': 'governance',
  'webhook.redelivered': 'governance',
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
  detail: z.record(z.string(), json),
});
export type AuditBody = z.output<typeof auditBody>;

export const auditEntry = auditBody.omit({ schema: true }).extend({
  chain: z.enum(chains),
  seq: z.number().int(),
  occurred_at: z.string(),
  hash: z.string(),
});
export type AuditEntry = z.output<typeof auditEntry>;

/** What was done to a log; `seq` names the first entry, or the size of the checkpoint, that it was done to. */
export const damageKinds = [
  'edit',
  'delete',
  'insert',
  'reorder',
  'truncation',
  'rollback',
  'rehash',
  'head_mismatch',
  'checkpoint_edited',
  'checkpoint_missing',
  'anchor_edited',
  'trigger_missing',
  'function_changed',
  'grant_excess',
] as const;

/** True, and worth knowing. */
export const noticeKinds = ['time_regression', 'silence', 'discontinuity', 'pruned'] as const;

const finding = { chain: z.enum(chains), seq: z.number().int().nullable(), detail: z.string() };

export const verification = z.object({
  /** `true_as_anchored` needs something from outside: without it nothing says that the tail was not cut off. */
  verdict: z.enum(['true_as_anchored', 'unanchored', 'damaged']),
  chains: z.array(
    z.object({
      chain: z.enum(chains),
      entries: z.number().int(),
      head: z.string(),
      signed: z.number().int().describe('up to this entry a signed checkpoint holds'),
      anchored: z.number().int().describe('up to this entry a checkpoint from outside holds'),
      checkpoint: z.string().nullable().describe('the newest, as a signed note'),
    }),
  ),
  damage: z.array(z.object({ ...finding, kind: z.enum(damageKinds) })),
  notices: z.array(z.object({ ...finding, kind: z.enum(noticeKinds) })),
  /** What to note down now and hand to the next verification. */
  head: z.string(),
});
export type Verification = z.output<typeof verification>;

/** An entry in full, as exports and proofs carry it; the hashes in hex, the body the exact text that was hashed. */
export const storedEntry = z.object({
  chain: z.enum(chains),
  seq: z.number().int(),
  occurred_at: z.string(),
  body: z.string(),
  prev: z.string(),
  hash: z.string(),
});

export const proof = z.object({
  kind: z.literal('proof'),
  entry: storedEntry,
  checkpoint: z.string().describe('a signed note (C2SP) whose tree the entry is in'),
  path: z.array(z.string()).describe('from the entry to the root of that tree (RFC 9162), in hex'),
});
export type Proof = z.output<typeof proof>;

export const checkpointKey = z.object({
  log: z.string().describe('what checkpoints call this log; followed by the chain'),
  public_key: z.string().describe('Ed25519, SPKI in PEM'),
});

/** What a listing and what is followed are narrowed by. */
export const auditFilter = {
  asset: z.string().max(100).optional(),
  user: z.string().max(254).optional(),
  action: z.string().max(60).optional().describe('an event, or the part of it before the dot'),
  outcome: z.enum(outcomes).optional(),
  since: z.iso.datetime().optional(),
};

export const auditEndpoints = {
  'audit.list': {
    method: 'GET',
    path: '/api/v1/audit',
    summary: 'The audit log: all of it for platform admins, a team for its admins, an asset for its owner',
    operation: 'audit.read',
    query: z.strictObject({
      ...auditFilter,
      until: z.iso.datetime().optional(),
      ...paging,
    }),
    reply: { kind: 'list', status: 200, schema: auditEntry },
    problems: ['bad_cursor', 'bad_reference'],
  },
  'audit.verify': {
    method: 'GET',
    path: '/api/v1/audit/verify',
    summary: 'Recompute every hash of every chain, against what was signed and what was noted outside',
    operation: 'audit.verify',
    query: z.strictObject({
      head: z.string().max(400).optional().describe('what an earlier verification answered as `head`'),
      anchor: z.string().max(4000).optional().describe('checkpoints kept outside, one signed note after the other'),
    }),
    reply: { kind: 'data', status: 200, schema: verification },
    problems: [],
  },
  'audit.prove': {
    method: 'GET',
    path: '/api/v1/audit/proofs/{chain}/{seq}',
    summary: 'That an entry is in the log as it was signed, to be verified without this service',
    operation: 'audit.verify',
    params: z.strictObject({ chain: z.enum(chains), seq: z.coerce.number().int().min(1).max(Number.MAX_SAFE_INTEGER) }),
    reply: { kind: 'data', status: 200, schema: proof },
    problems: ['not_provable'],
  },
  'audit.key': {
    method: 'GET',
    path: '/api/v1/audit/key',
    summary: 'The public key that checkpoints are verified with; compare it with a copy from elsewhere',
    operation: 'audit.verify',
    reply: { kind: 'data', status: 200, schema: checkpointKey },
    problems: [],
  },
} as const satisfies Record<string, Endpoint>;
