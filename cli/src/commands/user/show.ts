import { defineCommand, required } from '../../command.ts';
import { describeUser } from '../../principals/describe-user.ts';
import { findUser } from '../../principals/people.ts';

export const command = defineCommand({
  words: 'user show',
  summary: 'A user, their roles and their teams',
  needs: 'user.list',
  examples: ['svc user show ada@example.com', 'svc user show ada@example.com --json'],
  arguments: { email: required('Their e-mail address') },
  flags: {},
  async run({ email }, session) {
    const user = await findUser(session, email);
    return { data: user, view: describeUser(user) };
  },
});
