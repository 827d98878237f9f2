import { z } from 'zod';
import { canUse } from '../can.ts';
import { costForecast } from '../models/costs.ts';
import { difference } from '../assets/difference.ts';
import type { Endpoint } from '../endpoint.ts';
import { covered, targetPlan } from './target-plan.ts';
import { byId, counting, id, idPrefix, paging, text } from '../wire.ts';

export const approvalStates = ['pending', 'approved', 'rejected'] as const;
/** `waiting`: pending, and you may decide it now. `own`: submitted by you. `decided`: no longer pending. */
export const approvalFilters = [...approvalStates, 'waiting', 'own', 'decided'] as const;
export const closedReasons = ['rejected', 'withdrawn', 'superseded', 'expired', 'revoked'] as const;

export const approval = z.object({
  id,
  status: z.enum(approvalStates),
  /** Why a request that is `rejected` on the wire was closed; null while it is open or approved. */
  closed_reason: z.enum(closedReasons).nullable(),
  asset: z.string().describe('agents/<name>'),
  asset_version: z.string(),
  digest: z.string().describe('the decision covers exactly this content'),
  target: z.string().describe('`none` for kinds that are not deployed: all but agents'),
  message: z.string(),
  reason: z.string().nullable(),
  submitted_by: z.string(),
  submitted_at: z.string(),
  decided_by: z.string().nullable(),
  decided_at: z.string().nullable(),
  expires_at: z.string().nullable().describe('when it expires undecided; null without a limit, or once it is closed'),
  approvals_required: z.number().int(),
  approved_by: z
    .array(z.object({ by: z.string(), at: z.string(), reason: z.string() }))
    .describe('whose approvals counted; while pending, whose approvals count now'),
  /** Admins of the platform and of the team who can decide and have not yet, by e-mail. */
  can_decide: z.array(z.string()),
});
export type Approval = z.output<typeof approval>;

export const comment = z.object({
  id,
  author: z.string(),
  message: z.string(),
  file: z
    .string()
    .nullable()
    .describe('the file of the requested content that it is about; null for the whole request'),
  line: z.int().nullable(),
  created_at: z.string(),
});
export type Comment = z.output<typeof comment>;

/** The status from which an endpoint moves a request. The other endpoints work in every status. */
export const movesFrom = {
  'approvals.approve': 'pending',
  'approvals.reject': 'pending',
  'approvals.withdraw': 'pending',
  'approvals.revoke': 'approved',
} as const satisfies Record<string, (typeof approvalStates)[number]>;

export const requestActions = [
  'approvals.approve',
  'approvals.comment',
  'approvals.reject',
  'approvals.revoke',
  'approvals.withdraw',
] as const;

export const approvalDetail = approval.extend({
  /** False when the version has new content; then this request can only be rejected. */
  is_current: z.boolean(),
  target_address: z
    .string()
    .nullable()
    .describe('where the images and the secrets go; null for `local`, and for kinds that are not deployed'),
  target_changed: z
    .boolean()
    .describe('the target has another address or credential than at the request; then it can only be rejected'),
  covers: covered
    .nullable()
    .describe('what a deploy gets on its target, as it was at the request; null where a target does not say it'),
  beyond: z
    .array(z.string())
    .describe(
      'what a deploy would get now and the request does not cover; then it can only be rejected, or asked again',
    ),
  target_plan: targetPlan
    .nullable()
    .describe('what a deploy would send to its target now; null for `local` and engines, and where it cannot be made'),
  target_refuses: z.array(z.string()).describe('why the target would refuse a deploy; empty when it would not'),
  compared_with: z
    .string()
    .nullable()
    .describe('the running version on this target; for kinds that are not deployed, the last approved version'),
  compared_approval: approval
    .pick({ id: true, decided_by: true, decided_at: true })
    .nullable()
    .describe('the approval of the compared version; null without one'),
  changes: difference,
  cost: costForecast.nullable().describe('null without `write` on the asset, and for kinds that are not deployed'),
  guardrails: z.array(z.string()).describe('the guardrails in effect, as sentences; empty without any'),
  unguarded: z
    .string()
    .nullable()
    .describe('why the agent can call a model past its guardrails and budget; null when it cannot'),
  comments: z.array(comment),
  can: canUse(requestActions),
  previous: approval
    .pick({
      id: true,
      status: true,
      closed_reason: true,
      asset_version: true,
      digest: true,
      reason: true,
      submitted_by: true,
      decided_by: true,
      decided_at: true,
    })
    .nullable()
    .describe('the previous request for the same asset and target'),
});
export type ApprovalDetail = z.output<typeof approvalDetail>;

export const decision = z.strictObject({ reason: text.default('') });

export const approvalsEndpoints = {
  'approvals.list': {
    method: 'GET',
    path: '/api/v1/rbac/approvals',
    summary: 'Pending and decided requests that you may read',
    operation: 'approval.list',
    query: z.strictObject({
      status: z
        .enum(approvalFilters)
        .optional()
        .describe('`waiting`: requests that you may decide now; `own`: your requests; `decided`: approved or rejected'),
      asset: z.string().max(100).optional(),
      id: idPrefix.optional().describe('the first characters of the id'),
      ...paging,
      ...counting,
    }),
    reply: { kind: 'list', status: 200, schema: approval },
    problems: ['bad_cursor', 'bad_reference'],
  },
  'approvals.submit': {
    method: 'POST',
    path: '/api/v1/rbac/approvals',
    summary: 'Request the approval of a version',
    operation: 'approval.submit',
    body: z.strictObject({
      asset: z.string().max(100).describe('agents/<name>, or agents/<name>@<version>'),
      version: z.string().max(30).optional().describe('the newest one when absent'),
      target: z.string().max(40).optional().describe("the version's own target when absent"),
      message: text.default(''),
    }),
    reply: { kind: 'data', status: 201, schema: approval },
    problems: ['bad_reference', 'exists', 'target_refuses'],
  },
  'approvals.show': {
    method: 'GET',
    path: '/api/v1/rbac/approvals/{id}',
    summary: 'One request with its changes, its comments and the previous request',
    operation: 'approval.read',
    params: byId,
    reply: { kind: 'data', status: 200, schema: approvalDetail },
    problems: [],
  },
  'approvals.approve': {
    method: 'POST',
    path: '/api/v1/rbac/approvals/{id}/approve',
    summary: 'Approve: deployers may deploy exactly this digest',
    operation: 'approval.decide',
    params: byId,
    body: decision,
    reply: { kind: 'data', status: 200, schema: approval },
    problems: ['already_decided', 'superseded', 'own_request', 'target_refuses'],
  },
  'approvals.reject': {
    method: 'POST',
    path: '/api/v1/rbac/approvals/{id}/reject',
    summary: 'Reject, with a reason for the submitter',
    operation: 'approval.decide',
    params: byId,
    body: decision,
    reply: { kind: 'data', status: 200, schema: approval },
    problems: ['already_decided', 'superseded', 'own_request'],
  },
  'approvals.withdraw': {
    method: 'POST',
    path: '/api/v1/rbac/approvals/{id}/withdraw',
    summary: 'Withdraw your own pending request',
    operation: 'approval.withdraw',
    params: byId,
    reply: { kind: 'data', status: 200, schema: approval },
    problems: ['already_decided'],
  },
  'approvals.revoke': {
    method: 'POST',
    path: '/api/v1/rbac/approvals/{id}/revoke',
    summary: 'Revoke an approval: no new deploy can use it, and running agents keep running',
    operation: 'approval.decide',
    params: byId,
    body: decision,
    reply: { kind: 'data', status: 200, schema: approval },
    problems: ['already_decided'],
  },
  'approvals.comment': {
    method: 'POST',
    path: '/api/v1/rbac/approvals/{id}/comments',
    summary: 'Comment on a request or on a line of its content; everybody who may read its message sees the comment',
    operation: 'approval.comment',
    params: byId,
    body: z
      .strictObject({
        message: text.refine((message) => message.trim() !== '', 'must not be empty'),
        file: text.min(1).max(1000).optional().describe('a file of the requested content, with `line`'),
        line: z.int().min(1).max(1_000_000).optional(),
      })
      .refine(({ file, line }) => (file === undefined) === (line === undefined), {
        error: 'needs `file`, and `file` needs `line`',
        path: ['line'],
      }),
    reply: { kind: 'data', status: 201, schema: comment },
    problems: [],
  },
} as const satisfies Record<string, Endpoint>;
