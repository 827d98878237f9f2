import { Problem } from '@gantry/contract/problems.ts';
import { authorize, type Grant } from '../../governance/access/authorize.ts';
import type { Caller, UserCaller } from '../../governance/access/caller.ts';
import { change } from '../../governance/access/change.ts';
import { sessionOf } from '../../ground/copies/copies.ts';
import { theOrg } from '../../governance/access/subject.ts';
import { findCredential, replacePassword } from '../principals/find.ts';
import { userRecord } from '../principals/records.ts';
import { signedInUser } from '../principals/signed-in.ts';
import type { LoginParts } from './login.ts';
import { oneAtATime } from './one-at-a-time.ts';
import { checkNewPassword } from './password.ts';
import { endClients } from './clients/end-grant.ts';
import * as store from './store.ts';

const window_seconds = 15 * 60;
const max_wrong = 10;
// Parallel guesses count one by one, as at sign-in.
const inTurn = oneAtATime();

/** Changes one's own password, clears the flag, and ends every other session of the account. */
export async function changePassword(
  { db, passwords }: Pick<LoginParts, 'db' | 'passwords'>,
  caller: Caller,
  input: { old_password: string; new_password: string },
) {
  const user = signedInUser(caller);
  const grant = authorize(user, 'password.change', theOrg);
  return await inTurn(user.id, async () => await changeOnce({ db, passwords }, user, grant, input));
}

async function changeOnce(
  { db, passwords }: Pick<LoginParts, 'db' | 'passwords'>,
  user: UserCaller,
  grant: Grant,
  input: { old_password: string; new_password: string },
) {
  const key = `password of ${user.id}`;
  const wait = await store.blockedFor(db, [{ key, max: max_wrong }]);
  if (wait !== undefined) throw new Problem('rate_limited', { retry_after_seconds: wait });
  const known = await findCredential(db, user.email);
  const proven = known?.password_hash ?? undefined;
  if (!(await passwords.matches(input.old_password, proven)) || proven === undefined) {
    await db.transaction(async (tx) => await store.countFailure(tx, [key], window_seconds));
    throw new Problem('wrong_password');
  }
  checkNewPassword(input.new_password, user.email);
  if (await passwords.matches(input.new_password, proven))
    throw new Problem('weak_password', { detail: 'The new password is the same as the current one.' });
  const hash = await passwords.hash(input.new_password);
  const { must_change_password } = await change(db, grant, 'password.changed', async (tx, note) => {
    const row = await replacePassword(tx, { id: user.id, password_hash: proven }, hash);
    // Another request changed the password, or disabled the account, during the hashing.
    if (row === undefined) throw new Problem('wrong_password');
    await endClients(tx, user.id);
    const ended = await store.revokeSessions(tx, user.id, sessionOf(user.presence));
    note({ user: user.email, other_sessions_ended: ended });
    return row;
  });
  return userRecord({ ...user, must_change_password });
}
