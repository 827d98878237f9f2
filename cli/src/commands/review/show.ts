import { defineCommand, required, toggle } from '../../command.ts';
import { describeForecast } from '../../agent/describe-cost.ts';
import { findId } from '../../input/find-id.ts';
import { describeApproval, describeHistory } from '../../review/describe-approval.ts';
import { describeOnTarget } from '../../review/describe-on-target.ts';
import { describeChanges, describeDiffs } from '../../review/describe-changes.ts';
import { faint, line } from '../../view/view.ts';

export const command = defineCommand({
  words: 'review show',
  summary: 'One request with its message, its comments and its changes against the running version',
  needs: 'approval.read',
  examples: [
    'svc review show 0190b2f4-6c1e-7a52-9f0e-2b7a1c9d4e10',
    'svc review show 0190b2f4-6c1e-7a52-9f0e-2b7a1c9d4e10 --diff',
  ],
  arguments: { request: required('The id of the request, or its first characters', 'request') },
  flags: { diff: toggle('Print the changes in each file') },
  async run({ request, diff }, session) {
    const id = await findId(session, 'request', request);
    const approval = await session.call('approvals.show', { params: { id } });
    const { changes, compared_with } = approval;
    const cost = describeForecast(approval.cost);
    const after = `${approval.asset}@${approval.asset_version}`;
    const pending = approval.status === 'pending';
    const moved = pending && !approval.is_current;
    return {
      data: approval,
      view: [
        ...describeApproval(approval),
        ...(cost === undefined ? [] : [line(faint('cost  '), cost)]),
        ...describeOnTarget(approval),
        ...approval.guardrails.map((sentence) => line(sentence)),
        ...(approval.unguarded === null ? [] : [line({ text: approval.unguarded, style: 'warn' })]),
        ...describeHistory(approval),
        ...describeChanges({ changes, before: compared_with, after }),
        ...(diff ? describeDiffs(changes) : []),
        ...(pending && approval.target_changed
          ? [
              line({
                text: 'The target has another address or credential since this was asked, so this request can only be rejected. Its author submits it again.',
                style: 'warn',
              }),
            ]
          : []),
        ...(moved
          ? [
              line({
                text: 'The version has new content, so this request can only be rejected. Its author submits the new content.',
                style: 'warn',
              }),
            ]
          : []),
      ],
      next: [
        ...(diff || changes.files.length === 0
          ? []
          : [{ command: `svc review show ${id} --diff`, when: 'to see the changes in each file' }]),
        ...(pending
          ? [
              { command: `svc review approve ${id} --reason "…"`, when: 'to approve exactly this content' },
              { command: `svc review reject ${id} --reason "…"`, when: 'to reject it' },
            ]
          : []),
      ],
    };
  },
});
