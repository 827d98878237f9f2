import { defineCommand, needed, required, text } from '../../command.ts';
import { findId } from '../../input/find-id.ts';
import { good, line } from '../../view/view.ts';

export const command = defineCommand({
  words: 'review comment',
  summary: 'Comment on a request; everybody who may read its message sees the comment',
  needs: 'approval.comment',
  examples: [
    'svc review comment 0190b2f4-6c1e-7a52-9f0e-2b7a1c9d4e10 --message "why a second tool?"',
    'svc review comment 0190b2f4-6c1e-7a52-9f0e-2b7a1c9d4e10 --message "because of the index" --json',
  ],
  arguments: { request: required('The id of the request, or its first characters', 'request') },
  flags: { message: needed(text('The comment', 'text'), 'For example: --message "…"') },
  async run({ request, message }, session) {
    const id = await findId(session, 'request', request);
    const comment = await session.call('approvals.comment', { params: { id }, body: { message } });
    return {
      data: comment,
      view: [line(good('✓ '), 'The comment is on the request, permanently')],
      next: [{ command: `svc review show ${id}`, when: 'to read the comments' }],
    };
  },
});
