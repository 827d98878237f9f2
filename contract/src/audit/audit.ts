import { z } from 'zod';
import type { Endpoint } from '../endpoint.ts';
import { json, paging } from '../wire.ts';

/** Sign-ins, refusals and exports have their own chain, so that a flood of them delays no governed change. */
export const chains = ['signin', 'governance'] as const;
export type Chain = (typeof chains)[number];

/** Every event and its chain. */
export const auditEvents = {
  'login.succeeded': 'signin',
  'login.failed': 'signin',
  'token.issued': 'signin',
  'session.revoked': 'signin',
  refused: 'signin',
  'audit.exported': 'signin',
  'audit.verified': 'signin',
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
  'grant.created': 'governance',
  'grant.changed': 'governance',
  'grant.revoked': 'governance',
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
  'thread.deleted': 'governance',
  'thread.waits': 'governance',
  'thread.answered': 'governance',
  'thread.looked_at': 'governance',
  'thread.shared': 'governance',
  'thread.unshared': 'governance',
  'thread.share_ended': 'governance',
  'memory.forgotten': 'governance',
  'deploy.started': 'governance',
  'deploy.bypassed_approval': 'governance',
  deploy: 'governance',
  'deploy.failed': 'governance',
  'deploy.rolled_back': 'governance',
  'deploy.cancelled': 'governance',
  'revision.rebuilt': 'governance',
  'agent.stopped': 'governance',
  'agent.started': 'governance',
  'agent.restarted': 'governance',
  'agent.scaled': 'governance',
  'agent.target_changed': 'governance',
  'agent.operation_failed': 'governance',
  'agent.crashing': 'governance',
  'agent.steady': 'governance',
  'instance.joined': 'governance',
  'orchestration.deployed': 'governance',
  'key.created': 'governance',
  'key.claimed': 'governance',
  'key.revealed': 'governance',
  'key.rotated': 'governance',
  'key.revoked': 'governance',
  'key.paused': 'governance',
  'key.resumed': 'governance',
  'key_defaults.changed': 'governance',
  'cost.corrected': 'governance',
  'budget.changed': 'governance',
  'budget.reached': 'governance',
  'secret.created': 'governance',
  'secret.changed': 'governance',
  'secret.moved': 'governance',
  'secret.removed': 'governance',
  'target.credential_set': 'governance',
  'target.tested': 'governance',
  'target.drifted': 'governance',
  'target.mended': 'governance',
  'target.collected': 'governance',
  'prompt.label_moved': 'governance',
  'prompt.payer_set': 'governance',
  'prompt.example_added': 'governance',
  'prompt.example_deleted': 'governance',
  'tools.pinned': 'governance',
  'knowledge.payer_set': 'governance',
  'knowledge.hook_created': 'governance',
  'knowledge.hook_deleted': 'governance',
  'knowledge.refresh_started': 'governance',
  'knowledge.refresh_failed': 'governance',
  'knowledge.refreshed': 'governance',
  'knowledge.served': 'governance',
  'knowledge.built': 'governance',
  'knowledge.erased': 'governance',
  'knowledge.uploaded': 'governance',
  'knowledge.upload_deleted': 'governance',
  'tools.called': 'governance',
  'connection.asked': 'governance',
  'connection.made': 'governance',
  'connection.allowed': 'governance',
  'connection.refused': 'governance',
  'connection.removed': 'governance',
  'client.allowed': 'governance',
  'client.refused': 'governance',
  'client.signed_in': 'governance',
  'client.revoked': 'governance',
  'signing_key.rotated': 'governance',
  'call.asked': 'governance',
  'call.approved': 'governance',
  'call.rejected': 'governance',
  'question.asked': 'governance',
  'question.answered': 'governance',
  'question.declined': 'governance',
  'webhook.created': 'governance',
  'webhook.rotated': 'governance',
  'webhook.tested': 'governance',
  'webhook.redelivered': 'governance',
  'webhook.deleted': 'governance',
} as const satisfies Record<string, Chain>;
export type AuditEvent = keyof typeof auditEvents;

export const outcomes = ['done', 'refused'] as const;

/** The body of an entry as stored: canonical JSON whose exact text is hashed. */
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

/** Changes of the log itself; `seq` names the first affected entry, or the size of the affected checkpoint. */
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

/** Notices about an intact log. */
export const noticeKinds = ['time_regression', 'silence', 'discontinuity', 'pruned'] as const;

const finding = { chain: z.enum(chains), seq: z.number().int().nullable(), detail: z.string() };

export const verification = z.object({
  /** `true_as_anchored` needs a copy from outside: only a copy shows that no entries are missing at the end. */
  verdict: z.enum(['true_as_anchored', 'unanchored', 'damaged']),
  chains: z.array(
    z.object({
      chain: z.enum(chains),
      entries: z.number().int(),
      head: z.string(),
      signed: z.number().int().describe('the last entry under a signed checkpoint'),
      anchored: z.number().int().describe('the last entry under a checkpoint from outside'),
      checkpoint: z.string().nullable().describe('the newest checkpoint, as a signed note'),
    }),
  ),
  damage: z.array(z.object({ ...finding, kind: z.enum(damageKinds) })),
  notices: z.array(z.object({ ...finding, kind: z.enum(noticeKinds) })),
  /** Note this down, and pass it to the next verification. */
  head: z.string(),
});
export type Verification = z.output<typeof verification>;

/** A whole entry, for exports and proofs: the hashes in hex, the body as the exact hashed text. */
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
  log: z.string().describe('the name of this log in checkpoints; the chain follows it'),
  public_key: z.string().describe('Ed25519, SPKI in PEM'),
});

/** The filters of lists and streams. */
export const auditFilter = {
  asset: z.string().max(100).optional(),
  user: z.string().max(254).optional(),
  action: z.string().max(60).optional().describe('an event, or its part before the dot'),
  outcome: z.enum(outcomes).optional(),
  since: z.iso.datetime().optional(),
};

/** As receipts and answers have it. */
const entryNumber = z
  .string()
  .regex(/^(signin|governance)\/\d{1,15}$/, 'must be an audit number such as governance/12');

export const auditEndpoints = {
  'audit.list': {
    method: 'GET',
    path: '/api/v1/audit',
    summary: 'The entries of the audit log that you may read',
    operation: 'audit.read',
    query: z.strictObject({
      ...auditFilter,
      until: z.iso.datetime().optional(),
      entry: entryNumber.optional().describe('only this one, such as governance/12'),
      ...paging,
    }),
    reply: { kind: 'list', status: 200, schema: auditEntry },
    problems: ['bad_cursor', 'bad_reference'],
  },
  'audit.verify': {
    method: 'GET',
    path: '/api/v1/audit/verify',
    summary: 'Recompute every hash of every chain, and compare with the signed checkpoints and the copies outside',
    operation: 'audit.verify',
    query: z.strictObject({
      head: z.string().max(400).optional().describe('the `head` of an earlier verification'),
      anchor: z.string().max(4000).optional().describe('checkpoints kept outside, as consecutive signed notes'),
    }),
    reply: { kind: 'data', status: 200, schema: verification },
    problems: [],
  },
  'audit.prove': {
    method: 'GET',
    path: '/api/v1/audit/proofs/{chain}/{seq}',
    summary: 'A proof that an entry is in the signed log, verifiable without this service',
    operation: 'audit.verify',
    params: z.strictObject({ chain: z.enum(chains), seq: z.coerce.number().int().min(1).max(Number.MAX_SAFE_INTEGER) }),
    reply: { kind: 'data', status: 200, schema: proof },
    problems: ['not_provable'],
  },
  'audit.key': {
    method: 'GET',
    path: '/api/v1/audit/key',
    summary: 'The public key of the checkpoints; compare it with a copy from elsewhere',
    operation: 'audit.verify',
    reply: { kind: 'data', status: 200, schema: checkpointKey },
    problems: [],
  },
} as const satisfies Record<string, Endpoint>;
