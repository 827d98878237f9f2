import { z } from 'zod';
import { difference } from './difference.ts';
import type { Endpoint } from './endpoint.ts';
import { byId, id, idPrefix, paging, text } from './wire.ts';

export const approvalStates = ['pending', 'approved', 'rejected'] as const;
export const closedReasons = ['rejected', 'withdrawn', 'superseded', 'expired', 'revoked'] as const;

export const approval = z.object({
  id,
  status: z.enum(approvalStates),
  /** Why a request that is `rejected` on the wire was closed; null while it is open or approved. */
  closed_reason: z.enum(closedReasons).nullable(),
  asset: z.string().describe('agents/<name>'),
  asset_version: z.string(),
  digest: z.string().describe('exactly this content is what the decision covers'),
  target: z.string().describe('`none` for what is not deployed: everything but agents'),
  message: z.string(),
  reason: z.string().nullable(),
  submitted_by: z.string(),
  submitted_at: z.string(),
  decided_by: z.string().nullable(),
  decided_at: z.string().nullable(),
  expires_at: z.string().nullable().describe('when it is closed undecided; null when it waits for ever, or no longer'),
  approvals_required: z.number().int(),
  approved_by: z
    .array(z.object({ by: z.string(), at: z.string(), reason: z.string() }))
    .describe('who said so and counted; while it waits, who said so and could still say it'),
  /** Who can decide it and has not yet: the platform's and the team's admins, by e-mail. */
  can_decide: z.array(z.string()),
});
export type Approval = z.output<typeof approval>;

export const comment = z.object({ id, author: z.string(), message: z.string(), created_at: z.string() });
export type Comment = z.output<typeof comment>;

export const approvalDetail = approval.extend({
  /** False when the version has other content by now: then this request can only be rejected. */
  is_current: z.boolean(),
  compared_with: z
    .string()
    .nullable()
    .describe('what runs on this target; of what is not deployed, what was approved last'),
  changes: difference,
  comments: z.array(comment),
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
    .describe('the request for the same asset and target before this one'),
});
export type ApprovalDetail = z.output<typeof approvalDetail>;

export const decision = z.strictObject({ reason: text.default('') });

export const approvalsEndpoints = {
  'approvals.list': {
    method: 'GET',
    path: '/api/v1/rbac/approvals',
    summary: 'Pending and decided requests that you may see',
    operation: 'approval.list',
    query: z.strictObject({
      status: z.enum(approvalStates).optional(),
      asset: z.string().max(100).optional(),
      id: idPrefix.optional().describe('what the id begins with'),
      ...paging,
    }),
    reply: { kind: 'list', status: 200, schema: approval },
    problems: ['bad_cursor', 'bad_reference'],
  },
  'approvals.submit': {
    method: 'POST',
    path: '/api/v1/rbac/approvals',
    summary: 'Ask for the approval of a version',
    operation: 'approval.submit',
    body: z.strictObject({
      asset: z.string().max(100).describe('agents/<name>, or agents/<name>@<version>'),
      version: z.string().max(30).optional().describe('the newest one when absent'),
      target: z.string().max(40).optional().describe("the version's own target when absent"),
      message: text.default(''),
    }),
    reply: { kind: 'data', status: 201, schema: approval },
    problems: ['bad_reference', 'exists'],
  },
  'approvals.show': {
    method: 'GET',
    path: '/api/v1/rbac/approvals/{id}',
    summary: 'One request: what it would change, what was said about it, and the one before it',
    operation: 'approval.read',
    params: byId,
    reply: { kind: 'data', status: 200, schema: approvalDetail },
    problems: [],
  },
  'approvals.approve': {
    method: 'POST',
    path: '/api/v1/rbac/approvals/{id}/approve',
    summary: 'Approve: opens exactly this digest to deployers',
    operation: 'approval.decide',
    params: byId,
    body: decision,
    reply: { kind: 'data', status: 200, schema: approval },
    problems: ['already_decided', 'superseded', 'own_request'],
  },
  'approvals.reject': {
    method: 'POST',
    path: '/api/v1/rbac/approvals/{id}/reject',
    summary: 'Reject, with a reason that the submitter reads',
    operation: 'approval.decide',
    params: byId,
    body: decision,
    reply: { kind: 'data', status: 200, schema: approval },
    problems: ['already_decided', 'superseded', 'own_request'],
  },
  'approvals.withdraw': {
    method: 'POST',
    path: '/api/v1/rbac/approvals/{id}/withdraw',
    summary: 'Take a request of your own back while it waits',
    operation: 'approval.withdraw',
    params: byId,
    reply: { kind: 'data', status: 200, schema: approval },
    problems: ['already_decided'],
  },
  'approvals.revoke': {
    method: 'POST',
    path: '/api/v1/rbac/approvals/{id}/revoke',
    summary: 'Take an approval back: nothing is deployed on it from now on; what runs goes on',
    operation: 'approval.decide',
    params: byId,
    body: decision,
    reply: { kind: 'data', status: 200, schema: approval },
    problems: ['already_decided'],
  },
  'approvals.comment': {
    method: 'POST',
    path: '/api/v1/rbac/approvals/{id}/comments',
    summary: 'Write a comment on a request, for those who read what it says',
    operation: 'approval.comment',
    params: byId,
    body: z.strictObject({ message: text.refine((message) => message.trim() !== '', 'must not be empty') }),
    reply: { kind: 'data', status: 201, schema: comment },
    problems: [],
  },
} as const satisfies Record<string, Endpoint>;
