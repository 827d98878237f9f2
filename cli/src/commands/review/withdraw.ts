import { defineCommand, required } from '../../command.ts';
import { findId } from '../../input/find-id.ts';
import { good, line } from '../../view/view.ts';

export const command = defineCommand({
  words: 'review withdraw',
  summary: 'Withdraw your own pending request',
  needs: 'approval.withdraw',
  examples: [
    'svc review withdraw 0190b2f4-6c1e-7a52-9f0e-2b7a1c9d4e10',
    'svc review withdraw 0190b2f4-6c1e-7a52-9f0e-2b7a1c9d4e10 --json',
  ],
  arguments: { request: required('The id of the request, or its first characters', 'request') },
  flags: {},
  async run({ request }, session) {
    const id = await findId(session, 'request', request);
    const approval = await session.call('approvals.withdraw', { params: { id } });
    return {
      data: approval,
      view: [line(good('✓ '), `The request for ${approval.asset}@${approval.asset_version} is withdrawn`)],
      undo: `svc submit --asset ${approval.asset}@${approval.asset_version}`,
    };
  },
});
