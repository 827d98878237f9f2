// An admin resets another user's password: the old one stops working, and every session ends. The user chooses a new one with a
// mailed token, or starts with a one-time password. Must never happen: two admins reset each other, and no admin is left.
import { Problem } from '@gantry/contract/problems.ts';
import { authorize } from '../../governance/access/authorize.ts';
import type { Caller } from '../../governance/access/caller.ts';
import { change } from '../../governance/access/change.ts';
import { theOrg } from '../../governance/access/subject.ts';
import { lockUser, putPassword } from '../principals/find.ts';
import { loadCaller } from '../principals/load-caller.ts';
import { refuseWithoutPasswords } from '../principals/refuse-without-passwords.ts';
import { signedInUser } from '../principals/signed-in.ts';
import { showUser } from '../principals/users.ts';
import { admitAgain, mailedUntil } from './admit.ts';
import type { LoginParts } from './login.ts';
import { endSessions } from './sessions.ts';
import * as store from './store.ts';

export async function resetPassword(
  { db, passwords, mails_tokens }: Pick<LoginParts, 'db' | 'passwords' | 'mails_tokens'>,
  caller: Caller,
  id: string,
  input: { one_time_password: boolean },
) {
  const grant = authorize(caller, 'user.reset_password', theOrg);
  const admin = signedInUser(caller);
  if (admin.id === id)
    throw new Problem('conflict', {
      detail: 'This is your own password.',
      hint: 'Change it: svc password change. Or ask another platform admin.',
    });
  await refuseWithoutPasswords(db);
  const byMail = mails_tokens && !input.one_time_password;
  // With mail, no one-time password exists.
  const { password, hash } = await passwords.oneTime();
  await change(db, grant, 'password.reset', async (tx, note) => {
    // Both accounts, always in the same order. When two admins reset each other, the second finds their own session or role ended.
    for (const each of [admin.id, id].toSorted()) await lockUser(tx, each);
    if (admin.presence === null || !(await store.isPresent(tx, { presence: admin.presence, subject: admin.id })))
      throw new Problem('unauthenticated', { detail: 'The session has ended.' });
    const now = await loadCaller(tx, admin.id, caller.origin);
    if (now === undefined) throw new Problem('unauthenticated', { detail: 'The account is deleted.' });
    authorize(now, 'user.reset_password', theOrg);
    const user = await lockUser(tx, id);
    if (user === undefined) throw new Problem('not_found');
    if (!user.active)
      throw new Problem('conflict', {
        detail: `${user.email} is disabled.`,
        hint: `Enable the account first: svc user enable ${user.email}`,
      });
    await putPassword(tx, id, { password_hash: hash, must_change_password: true });
    const sessions_ended = await endSessions(tx, id);
    note({ user: user.email, sessions_ended, ...(byMail ? await admitAgain(tx, user, admin.email) : {}) });
  });
  return {
    ...(await showUser({ db, mailedUntil }, caller, id)),
    ...(byMail ? {} : { one_time_password: password }),
  };
}
