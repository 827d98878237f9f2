import { defineCommand, required, text } from '../../command.ts';
import { good, line } from '../../view/view.ts';

export const command = defineCommand({
  words: 'review approve',
  summary: 'Approve a request: opens exactly this content to deployers',
  needs: 'approval.decide',
  examples: [
    'svc review approve 0190b2f4-6c1e-7a52-9f0e-2b7a1c9d4e10',
    'svc review approve 0190b2f4-6c1e-7a52-9f0e-2b7a1c9d4e10 --reason "fine"',
  ],
  arguments: { request: required('The id of the request') },
  flags: { reason: text('Why; the submitter reads it', 'text') },
  async run({ request: id, reason }, session) {
    const approval = await session.call('approvals.approve', {
      params: { id },
      body: reason === undefined ? {} : { reason },
    });
    const ref = `${approval.asset}@${approval.asset_version}`;
    return {
      data: approval,
      view: [line(good('✓ '), `${ref} is approved for target ${approval.target}: exactly ${approval.digest}`)],
      next: [{ command: `svc deploy ${ref}`, when: 'as a deployer of the team' }],
    };
  },
});
