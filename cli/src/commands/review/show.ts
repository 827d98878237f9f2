import type { Plan } from '@gantry/contract/deploy.ts';
import { defineCommand, required } from '../../command.ts';
import { describeApproval } from '../../describe-approval.ts';
import { describeChanges } from '../../deploy/describe-plan.ts';
import { line } from '../../view/view.ts';

export const command = defineCommand({
  words: 'review show',
  summary: 'One request: what is asked, and what it would change against what runs',
  needs: 'approval.read',
  examples: [
    'svc review show 0190b2f4-6c1e-7a52-9f0e-2b7a1c9d4e10',
    'svc review show 0190b2f4-6c1e-7a52-9f0e-2b7a1c9d4e10 --json',
  ],
  arguments: { request: required('The id of the request') },
  flags: {},
  async run({ request: id }, session) {
    const approval = await session.call('approvals.show', { params: { id } });
    const ref = `${approval.asset}@${approval.asset_version}`;
    const plan: Plan | undefined =
      approval.status === 'pending'
        ? await session.call('deployments.plan', { body: { ref, target: approval.target } })
        : undefined;
    const moved = plan !== undefined && plan.digest !== approval.digest;
    return {
      data: { ...approval, changes: plan?.changes ?? null },
      view: [
        ...describeApproval(approval),
        ...(plan === undefined ? [] : describeChanges(plan)),
        ...(moved
          ? [
              line({
                text: 'The draft has changed since this was submitted: what is shown is the newer content.',
                style: 'warn',
              }),
            ]
          : []),
      ],
      next:
        approval.status === 'pending'
          ? [
              { command: `svc review approve ${id} --reason "…"`, when: 'to open this content to deployers' },
              { command: `svc review reject ${id} --reason "…"`, when: 'to send it back' },
            ]
          : [],
    };
  },
});
