// From e-mail and password to a token that may be stored. The token of a password that must be changed is never stored. It only changes
// that password, and then a new token is requested (spec, Authentication 9).
import type { Answer } from '@gantry/contract/endpoint.ts';
import type { Endpoints } from '@gantry/contract/endpoints.ts';
import type { WaitingKey } from '@gantry/contract/people/login.ts';
import { isLoopback } from '../failure.ts';
import { misuse, CliRefusal } from '../refusal.ts';
import type { Session } from './session.ts';
import { openKeychain } from './keychain.ts';
import type { StoreName } from './tokens.ts';

export interface Credentials {
  email: string;
  password: string;
  /** Asked for at a terminal when it is needed and absent. */
  new_password?: string | undefined;
}

export async function signIn(session: Session, { email, password, new_password }: Credentials): Promise<SignedIn> {
  warnOfPlaintext(session);
  const first = await session.callWith(undefined, 'auth.login', { body: { email, password } });
  if (!first.must_change_password) return toSignedIn(first);

  session.output.note('The password of this account must be changed before anything is stored.');
  const chosen = new_password ?? (await askNewPassword(session));
  await session.callWith(first.access_token, 'auth.change_password', {
    body: { old_password: password, new_password: chosen },
  });
  const renewed = await session.callWith(undefined, 'auth.login', { body: { email, password: chosen } });
  if (renewed.must_change_password)
    throw new CliRefusal('still_flagged', 'The service still requires a new password; nothing was stored', {
      hint: 'Ask an admin to look at the account.',
    });
  return toSignedIn(renewed);
}

export interface SignedIn {
  token: string;
  expires_at: string;
  waiting_keys: WaitingKey[];
}

function toSignedIn({ access_token, expires_at, waiting_keys }: Answer<Endpoints['auth.login']>): SignedIn {
  return { token: access_token, expires_at, waiting_keys };
}

/** Asked before the password, because without a store no password is needed. */
export async function chooseStore(session: Session, given: StoreName | undefined): Promise<StoreName> {
  if (given === 'file') return 'file';
  if ((await openKeychain()).available) return 'keychain';
  const why = 'This machine has no keychain that svc can use';
  const hint =
    'Run `svc login --store file`: only you can read that file (0600). Or set SERVICE_API_TOKEN and store nothing.';
  if (given === 'keychain' || !(await session.prompt.canAsk())) throw new CliRefusal('no_keychain', why, { hint });
  session.output.notice(`${why}. The session can go into a file, but every reader of that file can act as you.`);
  const chosen = await session.prompt.choose(
    'Where should the session be stored?',
    [
      { value: 'file', label: `${session.config.config_directory}/sessions.json, readable only by you` },
      { value: 'nowhere', label: 'Nowhere: do not sign in' },
    ],
    '--store',
  );
  if (chosen === 'file') return 'file';
  throw new CliRefusal('no_keychain', 'Not signed in: there is no place to store the session', { hint });
}

export function warnOfPlaintext(session: Session): void {
  if (session.server.startsWith('http:') && !isLoopback(session.server)) {
    session.output.notice(
      `${session.server} is not encrypted: your password crosses the network in plain text. Use https.`,
    );
  }
}

export async function askNewPassword(session: Session): Promise<string> {
  const chosen = await session.prompt.askSecret('New password (at least 8 characters)', '--new-password', (given) =>
    Array.from(given).length < 8 ? 'A password has at least 8 characters' : undefined,
  );
  const again = await session.prompt.askSecret('Repeat the new password', '--new-password');
  if (chosen !== again) throw misuse('The two passwords differ; nothing was changed');
  return chosen;
}
