import { authorize } from '../../governance/access/authorize.ts';
import { systemCaller } from '../../governance/access/caller.ts';
import { change } from '../../governance/access/change.ts';
import { theOrg } from '../../governance/access/subject.ts';
import type { Database } from '../../ground/database/database.ts';
import { findUser, putPassword } from '../principals/find.ts';
import { seed_email } from '../principals/seed.ts';
import { endSessions } from './sessions.ts';

/** Gives the admin a new password from the host. Enables the account again, and ends all its sessions. */
export async function resetAdmin(db: Database, password_hash: string): Promise<void> {
  const grant = authorize(systemCaller('system.reset_admin'), 'system.reset_admin', theOrg);
  await change(db, grant, 'password.changed', async (tx, note) => {
    const user = await findUser(tx, seed_email);
    if (user === undefined) throw new Error(`There is no ${seed_email} in this installation.`);
    await putPassword(tx, user.id, { password_hash, must_change_password: true, enable: true });
    const ended = await endSessions(tx, user.id);
    note({ user: user.email, by: 'svc server reset-admin', sessions_ended: ended });
  });
}
