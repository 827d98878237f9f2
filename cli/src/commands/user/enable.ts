import { defineCommand, required } from '../../command.ts';
import { findUser } from '../../principals/people.ts';
import { good, line } from '../../view/view.ts';

export const command = defineCommand({
  words: 'user enable',
  summary: 'Let a disabled user sign in again',
  needs: 'user.change',
  examples: ['svc user enable ada@example.com', 'svc user enable ada@example.com --json'],
  arguments: { email: required('Their e-mail address') },
  flags: {},
  async run({ email }, session) {
    const { id } = await findUser(session, email);
    const user = await session.call('users.update', { params: { id }, body: { active: true } });
    return {
      data: user,
      view: [line(good('✓ '), `${user.email} can sign in again`)],
      undo: `svc user disable ${user.email}`,
    };
  },
});
