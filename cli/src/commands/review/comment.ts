import { defineCommand, needed, required, text, whole } from '../../command.ts';
import { findId } from '../../input/find-id.ts';
import { good, line } from '../../view/view.ts';

export const command = defineCommand({
  words: 'review comment',
  summary: 'Comment on a request or on a line of its content; everybody who may read its message sees the comment',
  needs: 'approval.comment',
  examples: [
    'svc review comment 0190b2f4-6c1e-7a52-9f0e-2b7a1c9d4e10 --message "why a second tool?"',
    'svc review comment 0190b2f4-6c1e-7a52-9f0e-2b7a1c9d4e10 --message "because of the index" --json',
  ],
  arguments: { request: required('The id of the request, or its first characters', 'request') },
  flags: {
    message: needed(text('The comment', 'text'), 'For example: --message "…"'),
    file: text('The file that it is about, with --line', 'path'),
    line: whole('The line of this file', 'number', { least: 1, most: 1_000_000 }),
  },
  async run({ request, ...body }, session) {
    const id = await findId(session, 'request', request);
    const comment = await session.call('approvals.comment', { params: { id }, body });
    return {
      data: comment,
      view: [line(good('✓ '), 'The comment is on the request, permanently')],
      next: [{ command: `svc review show ${id}`, when: 'to read the comments' }],
    };
  },
});
