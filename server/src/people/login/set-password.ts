// The token of an invitation or a reset lets its holder choose a password, once. Guesses are limited per address, like sign-in, although
// 256 bits of HMAC cannot be guessed. Every invalid token gets the same answer.
import { Problem } from '@gantry/contract/problems.ts';
import { authorize } from '../../governance/access/authorize.ts';
import type { Origin } from '../../governance/access/caller.ts';
import { change } from '../../governance/access/change.ts';
import { firstInAMinute } from '../../governance/access/collapse.ts';
import { theOrg } from '../../governance/access/subject.ts';
import { append } from '../../governance/audit/append.ts';
import type { Database, Tx } from '../../ground/database/database.ts';
import { networkOf } from '../../governance/http/request/peer.ts';
import { lockUser, putPassword } from '../principals/find.ts';
import { loadCaller } from '../principals/load-caller.ts';
import { refuseWithoutPasswords } from '../principals/refuse-without-passwords.ts';
import type { LoginParts } from './login.ts';
import { oneAtATime } from './one-at-a-time.ts';
import * as tokenStore from './password-token-store.ts';
import { checkNewPassword } from './password.ts';
import { endSessions } from './sessions.ts';
import * as store from './store.ts';

const window_seconds = 15 * 60;
const max_failures = 100;
// Parallel guesses count one by one, as at sign-in.
const inTurn = oneAtATime();
const isFirstBlocked = firstInAMinute();

type Parts = Pick<LoginParts, 'db' | 'passwords' | 'password_tokens'>;

export async function setPassword(parts: Parts, input: { token: string; new_password: string }, origin: Origin) {
  const from = `password tokens from ${networkOf(origin.ip)}`;
  return await inTurn(from, async () => await setOnce(parts, input, origin, from));
}

async function setOnce(
  { db, passwords, password_tokens }: Parts,
  { token, new_password }: { token: string; new_password: string },
  origin: Origin,
  from: string,
): Promise<{ email: string }> {
  const wait = await store.blockedFor(db, [{ key: from, max: max_failures }]);
  const id = password_tokens.read(token);
  if (wait !== undefined) {
    if (isFirstBlocked(from))
      await db.transaction(async (tx) => await record(tx, origin, { password_token: id, blocked_seconds: wait }));
    throw new Problem('rate_limited', { retry_after_seconds: wait });
  }
  await refuseWithoutPasswords(db);
  const open = id === undefined ? undefined : await tokenStore.openToken(db, id);
  const user = open && (await loadCaller(db, open.user_id, origin));
  if (id === undefined || open === undefined || user === undefined) return await refuse(db, origin, { from, id });
  checkNewPassword(new_password, user.email);
  const hash = await passwords.hash(new_password);
  const grant = authorize(user, 'password.set', theOrg);
  const isSet = await change(db, grant, 'password.changed', async (tx, note) => {
    // The same order as in the code that ends tokens: first the account, then its tokens.
    const account = await lockUser(tx, user.id);
    if (account?.active !== true || !(await tokenStore.takeToken(tx, id))) return false;
    await putPassword(tx, user.id, { password_hash: hash, must_change_password: false });
    note({ user: user.email, by: open.kind, sessions_ended: await endSessions(tx, user.id) });
    return true;
  });
  return isSet ? { email: user.email } : await refuse(db, origin, { from, id });
}

async function refuse(
  db: Database,
  origin: Origin,
  { from, id }: { from: string; id: string | undefined },
): Promise<never> {
  await db.transaction(async (tx) => {
    await store.countFailure(tx, [from], window_seconds);
    await store.forgetOld(tx);
    await record(tx, origin, { password_token: id });
  });
  throw new Problem('bad_credentials', {
    detail: 'This token does not work: it is invalid, used, replaced by a newer one, or expired.',
    hint: 'Ask an admin for a new mail: svc user reset-password <your e-mail address>',
  });
}

// A genuine token names its row even when it no longer works, so the log can name its user.
async function record(
  tx: Tx,
  origin: Origin,
  { password_token, ...more }: { password_token: string | undefined; blocked_seconds?: number },
): Promise<void> {
  const actor = { kind: 'anonymous', id: null, name: 'a password token' };
  const about = { team: null, asset: null, ip: origin.ip, request_id: origin.request_id };
  const user = password_token === undefined ? undefined : await tokenStore.holderOf(tx, password_token);
  const detail = {
    provider: 'password token',
    ...(password_token === undefined || user === undefined ? {} : { password_token, user }),
    ...more,
  };
  await append(tx, { ...about, event: 'login.failed', outcome: 'refused', actor, detail }, []);
}
