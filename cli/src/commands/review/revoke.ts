import { defineCommand, required, text } from '../../command.ts';
import { findId } from '../../input/find-id.ts';
import { good, line } from '../../view/view.ts';

export const command = defineCommand({
  words: 'review revoke',
  summary: 'Revoke an approval: no new deploy can use it, and running agents keep running',
  needs: 'approval.decide',
  examples: [
    'svc review revoke 0190b2f4-6c1e-7a52-9f0e-2b7a1c9d4e10 --reason "a dependency turned out to be unsafe"',
    'svc review revoke 0190b2f4-6c1e-7a52-9f0e-2b7a1c9d4e10',
  ],
  arguments: { request: required('The id of the request, or its first characters', 'request') },
  flags: { reason: text('The reason, for the submitter', 'text') },
  async run({ request, reason }, session) {
    const id = await findId(session, 'request', request);
    const approval = await session.call('approvals.revoke', {
      params: { id },
      body: reason === undefined ? {} : { reason },
    });
    const name = approval.asset.split('/').at(-1) ?? '';
    return {
      data: approval,
      view: [line(good('✓ '), `The approval of ${approval.asset}@${approval.asset_version} is revoked`)],
      next: [{ command: `svc stop ${name}`, when: 'to stop it too, if it runs' }],
    };
  },
});
