import { defineCommand, required } from '../../command.ts';
import { describeAdmission, printPasswordFlag } from '../../principals/describe-admission.ts';
import { findUser } from '../../principals/people.ts';
import { good, line } from '../../view/view.ts';

export const command = defineCommand({
  words: 'user reset-password',
  summary: 'Reset a password and end every session; the user gets a token by mail, or a one-time password',
  needs: 'user.reset_password',
  examples: ['svc user reset-password ada@example.com', 'svc user reset-password ada@example.com --print-password'],
  arguments: { email: required('Their e-mail address') },
  flags: { printPassword: printPasswordFlag },
  async run({ email, printPassword }, session) {
    const { id } = await findUser(session, email);
    const user = await session.call('users.reset_password', {
      params: { id },
      body: { one_time_password: printPassword },
    });
    return {
      data: user,
      view: [
        line(good('✓ '), `${user.email} is signed out, and the old password no longer works`),
        ...describeAdmission(user),
      ],
    };
  },
});
