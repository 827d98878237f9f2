import { defineCommand, required } from '../../command.ts';
import { findUser } from '../../principals/people.ts';
import { good, line } from '../../view/view.ts';

export const command = defineCommand({
  words: 'user disable',
  summary: 'Disable a user: they are signed out at once and cannot sign in; they keep their assets',
  needs: 'user.change',
  examples: ['svc user disable ada@example.com', 'svc user disable ada@example.com --json'],
  arguments: { email: required('Their e-mail address') },
  flags: {},
  async run({ email }, session) {
    const { id } = await findUser(session, email);
    const user = await session.call('users.update', { params: { id }, body: { active: false } });
    return {
      data: user,
      view: [line(good('✓ '), `${user.email} is signed out and cannot sign in`)],
      undo: `svc user enable ${user.email}`,
    };
  },
});
