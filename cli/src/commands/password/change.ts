import { defineCommand, text } from '../../command.ts';
import { askNewPassword, warnOfPlaintext } from '../../session/sign-in.ts';
import { good, line } from '../../view/view.ts';

export const command = defineCommand({
  words: 'password change',
  summary: 'Change your own password; this session continues, your others end',
  needs: 'password.change',
  examples: ['svc password change', 'svc password change --password "$OLD" --new-password "$NEW"'],
  arguments: {},
  flags: {
    password: text('Your current password; asked for when absent', 'password'),
    newPassword: text('The new password; asked for when absent', 'password'),
  },
  async run({ password, newPassword }, session) {
    warnOfPlaintext(session);
    const old_password = password ?? (await session.prompt.askSecret('Current password', '--password'));
    const new_password = newPassword ?? (await askNewPassword(session));
    const user = await session.call('auth.change_password', { body: { old_password, new_password } });
    return {
      data: user,
      view: [line(good('✓ '), `The password of ${user.email} is changed; every other session has ended`)],
    };
  },
});
