import { targetFlag } from '@gantry/project/agent-yaml.ts';
import type { Approval, ApprovalDetail } from '@gantry/contract/agents/approvals.ts';
import { faint, fields, line, state, time, type Cell, type View } from '../view/view.ts';

export function describeApproval(approval: Approval & Partial<Pick<ApprovalDetail, 'target_address'>>): View {
  return [
    line({ text: `${approval.asset}@${approval.asset_version}`, style: 'strong' }, '  ', stateOf(approval)),
    fields({
      Request: approval.id,
      Digest: [approval.digest, faint('  the decision covers exactly this content')],
      Target:
        targetOf(approval) === null
          ? null
          : [
              approval.target,
              faint(
                approval.target_address === undefined || approval.target_address === null
                  ? ''
                  : `  ${approval.target_address}`,
              ),
            ],
      Submitted: [time(approval.submitted_at), ` by ${approval.submitted_by}`],
      Message: approval.message === '' ? null : approval.message,
      Decided:
        approval.decided_at === null
          ? null
          : [time(approval.decided_at), ` by ${approval.decided_by ?? 'the service'}`],
      Reason: approval.reason === null || approval.reason === '' ? null : approval.reason,
      Approvals: approval.status === 'rejected' ? null : approvals(approval),
      'Can decide': approval.status === 'pending' ? canDecide(approval) : null,
      Expires: time(approval.expires_at ?? null),
    }),
  ];
}

/** The outcome: a closed request shows its reason, not only that it is closed. */
export function stateOf(approval: Approval): Cell {
  return approval.status === 'rejected' && approval.closed_reason !== null
    ? state(approval.closed_reason)
    : state(approval.status);
}

/** The approval of the compared version, the outcome of the previous request, and the comments, oldest first. */
export function describeHistory({ comments, previous, compared_with, compared_approval }: ApprovalDetail): View {
  return [
    ...(compared_approval === null || compared_approval.decided_at === null
      ? []
      : [
          line(
            faint('since  '),
            `${compared_with ?? ''} approved by ${compared_approval.decided_by ?? 'an admin'} `,
            time(compared_approval.decided_at),
          ),
        ]),
    ...(previous === null
      ? []
      : [
          line(
            faint('before  '),
            `${previous.id}  ${previous.asset_version} `,
            state(previous.closed_reason ?? previous.status),
            previous.decided_by === null ? '' : ` by ${previous.decided_by}`,
            previous.reason === null || previous.reason === '' ? '' : `: ${previous.reason}`,
          ),
        ]),
    ...comments.map((one) =>
      line(
        time(one.created_at),
        faint(`  ${one.author}${one.file === null ? '' : ` on ${one.file}:${one.line}`}: `),
        one.message,
      ),
    ),
  ];
}

/** Null for kinds that are not deployed. */
export function targetOf({ target }: Approval): string | null {
  return target === 'none' ? null : target;
}

export function deployCommand(approval: Approval): string {
  return `svc deploy ${approval.asset}@${approval.asset_version}${targetFlag(approval.target)}`;
}

/** The names of the deciders, or the next step when nobody can decide. */
export function deciders({ can_decide }: Pick<Approval, 'can_decide'>): string {
  return can_decide.length === 0 ? 'nobody yet: it takes another admin' : can_decide.join(', ');
}

/** `1 of 2, waits for …`; nothing where one admin decides. */
function approvals({ approvals_required, approved_by, can_decide, status }: Approval): string | null {
  if (approvals_required < 2) return null;
  const given = `${approved_by.length} of ${approvals_required}`;
  if (status === 'approved') return `${given}: ${approved_by.map(({ by }) => by).join(', ')}`;
  const by = approved_by.length === 0 ? '' : ` (${approved_by.map((one) => one.by).join(', ')})`;
  return `${given}${by}, waits for ${deciders({ can_decide })}`;
}

function canDecide({ can_decide, approvals_required, approved_by }: Approval): string {
  if (can_decide.length === 0) return deciders({ can_decide });
  const missing = approvals_required - approved_by.length - can_decide.length;
  return `${can_decide.join(', ')}${missing > 0 ? `; ${missing} more needed as admin` : ''}`;
}
