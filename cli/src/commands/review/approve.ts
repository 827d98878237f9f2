import { defineCommand, required, text } from '../../command.ts';
import { deployCommand, targetOf } from '../../review/describe-approval.ts';
import { nextForPending } from '../../review/next-for-pending.ts';
import { findId } from '../../input/find-id.ts';
import { good, line } from '../../view/view.ts';

export const command = defineCommand({
  words: 'review approve',
  summary: 'Approve a request: deployers may deploy exactly this content',
  needs: 'approval.decide',
  examples: [
    'svc review approve 0190b2f4-6c1e-7a52-9f0e-2b7a1c9d4e10',
    'svc review approve 0190b2f4-6c1e-7a52-9f0e-2b7a1c9d4e10 --reason "fine"',
  ],
  arguments: { request: required('The id of the request, or its first characters', 'request') },
  flags: { reason: text('The reason, for the submitter', 'text') },
  async run({ request, reason }, session) {
    const id = await findId(session, 'request', request);
    const approval = await session.call('approvals.approve', {
      params: { id },
      body: reason === undefined ? {} : { reason },
    });
    const ref = `${approval.asset}@${approval.asset_version}`;
    const { approvals_required, approved_by } = approval;
    if (approval.status === 'pending')
      return {
        data: approval,
        view: [line(good('✓ '), `You approve ${ref}: ${approved_by.length} of ${approvals_required}`)],
        person_must_act: true,
        next: await nextForPending(session, approval),
      };
    const target = targetOf(approval);
    return {
      data: approval,
      view: [
        line(
          good('✓ '),
          `${ref} is approved${target === null ? '' : ` for target ${target}`}: exactly ${approval.digest}`,
        ),
      ],
      undo: `svc review revoke ${id}`,
      next: target === null ? [] : [{ command: deployCommand(approval), when: 'as a deployer of the team' }],
    };
  },
});
