import { defineCommand, required, text } from '../../command.ts';
import { findId } from '../../input/find-id.ts';
import { line } from '../../view/view.ts';

export const command = defineCommand({
  words: 'review reject',
  summary: 'Reject a request, with a reason for the submitter',
  needs: 'approval.decide',
  examples: [
    'svc review reject 0190b2f4-6c1e-7a52-9f0e-2b7a1c9d4e10 --reason "the tool list is too wide"',
    'svc review reject 0190b2f4-6c1e-7a52-9f0e-2b7a1c9d4e10',
  ],
  arguments: { request: required('The id of the request, or its first characters', 'request') },
  flags: { reason: text('The reason; asked for at a terminal', 'text') },
  async run({ request, reason }, session) {
    const id = await findId(session, 'request', request);
    const why =
      reason ??
      ((await session.prompt.canAsk()) ? await session.prompt.ask('Reason, for the submitter', '--reason') : undefined);
    const approval = await session.call('approvals.reject', {
      params: { id },
      body: why === undefined ? {} : { reason: why },
    });
    return {
      data: approval,
      view: [
        line(
          '✗ ',
          `${approval.asset}@${approval.asset_version} is rejected${approval.reason === null || approval.reason === '' ? '' : `: ${approval.reason}`}`,
        ),
      ],
    };
  },
});
