import type { Approval } from '@gantry/contract/approvals.ts';
import { faint, fields, line, state, time, type Cell, type View } from './view/view.ts';

export function describeApproval(approval: Approval): View {
  return [
    line({ text: `${approval.asset}@${approval.asset_version}`, style: 'strong' }, '  ', stateOf(approval)),
    fields({
      Request: approval.id,
      Digest: [approval.digest, faint('  exactly this content is what the decision covers')],
      Target: approval.target,
      Submitted: [time(approval.submitted_at), ` by ${approval.submitted_by}`],
      Message: approval.message === '' ? null : approval.message,
      Decided:
        approval.decided_at === null
          ? null
          : [time(approval.decided_at), ` by ${approval.decided_by ?? 'the service'}`],
      Reason: approval.reason === null || approval.reason === '' ? null : approval.reason,
      'Can decide':
        approval.status === 'pending' ? approval.can_decide.join(', ') || 'nobody: an admin is missing' : null,
    }),
  ];
}

/** What became of it: a closed request says why, not only that it is closed. */
export function stateOf(approval: Approval): Cell {
  return approval.status === 'rejected' && approval.closed_reason !== null
    ? state(approval.closed_reason)
    : state(approval.status);
}
