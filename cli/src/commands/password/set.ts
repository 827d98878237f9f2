import { defineCommand, text } from '../../command.ts';
import { readGiven } from '../../input/read-given.ts';
import type { Session } from '../../session/session.ts';
import { askNewPassword, warnOfPlaintext } from '../../session/sign-in.ts';
import { good, line } from '../../view/view.ts';

export const command = defineCommand({
  words: 'password set',
  summary: 'Choose a password with the token that was mailed to you; works once, and ends all your sessions',
  needs: 'nothing',
  examples: [
    'svc password set --server https://gantry.example.com',
    'svc password set --token-file - --new-password "$PASSWORD" < token',
  ],
  arguments: {},
  flags: {
    tokenFile: text('A file that holds the token, - for stdin; asked for when absent', 'path'),
    newPassword: text('The new password; asked for when absent', 'password'),
  },
  async run({ tokenFile, newPassword }, session) {
    warnOfPlaintext(session);
    const token = await readToken(session, tokenFile);
    const new_password = newPassword ?? (await askNewPassword(session));
    const { email } = await session.callWith(undefined, 'auth.set_password', { body: { token, new_password } });
    return {
      data: { email },
      view: [line(good('✓ '), `${email} has a new password`)],
      next: [{ command: `svc login --email ${email}`, when: 'to sign in with it' }],
    };
  },
});

/** Never an argument, because all users of the machine can read arguments. */
async function readToken(session: Session, file: string | undefined): Promise<string> {
  if (file === undefined) return (await session.prompt.askSecret('Token from the mail', '--token-file')).trim();
  return (await readGiven(file)).trim();
}
