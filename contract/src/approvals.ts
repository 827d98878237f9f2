import { z } from 'zod';
import type { Endpoint } from './endpoint.ts';
import { byId, id, paging, text } from './wire.ts';

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
  target: z.string(),
  message: z.string(),
  reason: z.string().nullable(),
  submitted_by: z.string(),
  submitted_at: z.string(),
  decided_by: z.string().nullable(),
  decided_at: z.string().nullable(),
  /** Who can decide it: the platform's and the team's admins, by e-mail. */
  can_decide: z.array(z.string()),
});
export type Approval = z.output<typeof approval>;

const decision = z.strictObject({ reason: text.default('') });

export const approvalsEndpoints = {
  'approvals.list': {
    method: 'GET',
    path: '/api/v1/rbac/approvals',
    summary: 'Pending and decided requests that you may see',
    operation: 'approval.list',
    query: z.strictObject({
      status: z.enum(approvalStates).optional(),
      asset: z.string().max(100).optional(),
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
    problems: ['bad_reference', 'conflict', 'exists'],
  },
  'approvals.show': {
    method: 'GET',
    path: '/api/v1/rbac/approvals/{id}',
    summary: 'One request',
    operation: 'approval.read',
    params: byId,
    reply: { kind: 'data', status: 200, schema: approval },
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
    problems: ['already_decided', 'conflict'],
  },
} as const satisfies Record<string, Endpoint>;
