// A fresh installation gets its organisation, the team `default` and the admin, exactly once. A deleted or renamed admin does not come back.
import { authorize } from '../../governance/access/authorize.ts';
import { systemCaller } from '../../governance/access/caller.ts';
import { change } from '../../governance/access/change.ts';
import { theOrg } from '../../governance/access/subject.ts';
import type { Database } from '../../ground/database/database.ts';
import type { IssueKey } from './new-member.ts';
import * as store from './store.ts';
import * as teamStore from './team-store.ts';

export const seed_email = 'admin@gantry.local';
/** Publicly documented (spec, Authentication 9). It works only from a loopback peer, and only until its change. */
export const seed_password = 'gantry-admin';

/**
 * Returns false if the installation is already seeded. `must_change` marks the documented password. `issueKey` issues the admin's gateway
 * key, and `before` runs before the commit.
 */
export async function seed(
  db: Database,
  {
    issueKey,
    before = async () => {},
    ...admin
  }: {
    password_hash: string;
    must_change: boolean;
    issueKey: IssueKey;
    before?: () => Promise<void>;
  },
): Promise<boolean> {
  const grant = authorize(systemCaller('system.seed'), 'system.seed', theOrg);
  return await change(db, grant, 'org.seeded', async (tx, note) => {
    if (await store.hasOrg(tx)) return false;
    await store.insertOrg(tx);
    const team = await teamStore.insertTeam(tx, 'default');
    const { password_hash, must_change } = admin;
    const user = await store.insertUser(tx, {
      email: seed_email,
      name: 'Admin',
      role: 'admin',
      password_hash,
      must_change_password: must_change,
      seed_credential: must_change,
    });
    await teamStore.putMember(tx, team.id, user.id, 'admin');
    const key = await issueKey(tx, { id: user.id, email: user.email, team_id: team.id, issued_by: user.id });
    note({ admin: seed_email, team: team.name, key });
    await before();
    return true;
  });
}
