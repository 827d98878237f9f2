import { choice, defineCommand, text } from '../command.ts';
import { CliRefusal } from '../refusal.ts';
import type { Result } from '../result.ts';
import type { Session } from '../session/session.ts';
import { chooseStore, signIn, type SignedIn } from '../session/sign-in.ts';
import { stores, storeToken, type StoreName } from '../session/tokens.ts';
import { good, line, time } from '../view/view.ts';

export const command = defineCommand({
  words: 'login',
  summary: 'Sign in and store the session in the keychain',
  needs: 'nothing',
  examples: [
    'svc login --email ada@example.com',
    'svc login --email ada@example.com --password "$PASSWORD" --store file',
  ],
  arguments: {},
  flags: {
    email: text('Your e-mail address', 'address'),
    password: text('Your password; asked for when absent', 'password'),
    newPassword: text('The new password, for an account that must change it', 'password'),
    token: text('Store this token instead of signing in', 'token'),
    store: choice('Where to store the session', stores),
  },
  async run({ email, password, newPassword, token, store }, session) {
    if (session.config.api_token !== undefined)
      session.output.notice('SERVICE_API_TOKEN is set, and it overrides the session that is stored here.');
    if (token !== undefined) return await keepToken(session, token, await chooseStore(session, store));

    const chosen = await chooseStore(session, store);
    const address = email ?? (await session.prompt.ask('E-mail', '--email'));
    const secret = password ?? (await session.prompt.askSecret('Password', '--password'));
    const signedIn = await signIn(session, { email: address, password: secret, new_password: newPassword });
    await storeToken(session.config, session.origin, signedIn.token, chosen);
    return await describe(session, chosen, signedIn);
  },
});

async function keepToken(session: Session, token: string, store: StoreName): Promise<Result> {
  const user = await session.callWith(token, 'auth.me', {});
  if (user.must_change_password) {
    throw new CliRefusal(
      'password_change_required',
      `The password of ${user.email} must be changed first; the token was not stored`,
      { hint: `Run \`svc login --email ${user.email}\`.` },
    );
  }
  await storeToken(session.config, session.origin, token, store);
  return await describe(session, store, { token, expires_at: null, waiting_keys: [] });
}

async function describe(
  session: Session,
  store: StoreName,
  { token, expires_at, waiting_keys }: Omit<SignedIn, 'expires_at'> & { expires_at: string | null },
): Promise<Result> {
  const user = await session.callWith(token, 'auth.me', {});
  const where = store === 'file' ? `${session.config.config_directory}/sessions.json` : 'the keychain';
  return {
    data: { server: session.server, email: user.email, role: user.role, store, expires_at, waiting_keys },
    view: [
      line(good('✓ '), `Signed in to ${session.server} as ${user.email} (${user.role}); stored in ${where}`),
      ...(expires_at === null ? [] : [line('  ends ', time(expires_at))]),
      ...waiting_keys.map(({ prefix, team }) => line(`  The key ${prefix}… of team ${team} waits for you`)),
    ],
    next: [
      ...(waiting_keys.length === 0 ? [] : [{ command: 'svc key claim', when: 'to take it, for calls to models' }]),
      { command: 'svc status', when: 'to see the agents' },
    ],
  };
}
