import { Problem } from '@gantry/contract/problems.ts';
import { authorize } from '../access/authorize.ts';
import type { Caller } from '../access/caller.ts';
import { change } from '../access/change.ts';
import { theOrg } from '../access/subject.ts';
import { findCredential, findUserById, setPassword } from '../principals/find.ts';
import { userRecord } from '../principals/records.ts';
import { signedIn } from '../principals/signed-in.ts';
import type { LoginParts } from './login.ts';
import { checkNewPassword } from './password.ts';
import * as store from './store.ts';

const window_seconds = 15 * 60;
const most_wrong = 10;

/** Changes one's own password, clears the flag, and ends every other session of the account. */
export async function changePassword(
  { db, passwords }: LoginParts,
  caller: Caller,
  input: { old_password: string; new_password: string },
) {
  const user = signedIn(caller);
  const grant = authorize(user, 'password.change', theOrg);
  const key = `password of ${user.id}`;
  const wait = await store.blockedFor(db, [{ key, most: most_wrong }]);
  if (wait !== undefined) throw new Problem('rate_limited', { retry_after_seconds: wait });
  const known = await findCredential(db, user.email);
  if (!(await passwords.matches(input.old_password, known?.password_hash))) {
    await db.transaction(async (tx) => await store.countFailure(tx, [key], window_seconds));
    throw new Problem('wrong_password');
  }
  checkNewPassword(input.new_password, user.email);
  if (await passwords.matches(input.new_password, known?.password_hash))
    throw new Problem('weak_password', { detail: 'The new password is the current one.' });
  const hash = await passwords.hash(input.new_password);
  await change(db, grant, 'password.changed', async (tx, note) => {
    await setPassword(tx, user.id, hash, false);
    const ended = await store.revokeSessions(tx, user.id, user.session_id);
    note({ user: user.email, other_sessions_ended: ended });
  });
  const row = await findUserById(db, user.id);
  if (row === undefined) throw new Problem('not_found');
  return userRecord(user, row);
}
