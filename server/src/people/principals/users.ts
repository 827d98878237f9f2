import { Problem } from '@gantry/contract/problems.ts';
import type { Role } from '@gantry/contract/roles.ts';
import { authorize } from '../../governance/access/authorize.ts';
import type { Caller } from '../../governance/access/caller.ts';
import { change, type GovernedTx } from '../../governance/access/change.ts';
import type { Leaves } from '../../governance/access/when-leaves.ts';
import { theOrg } from '../../governance/access/subject.ts';
import { errorCode, unique_violation, type Database, type Reader } from '../../ground/database/database.ts';
import type { Cursors } from '../../governance/http/cursor.ts';
import { refuseTooFewAdmins } from './enough-admins.ts';
import type { IssueKey, NewMember } from './new-member.ts';
import { adminUserRecord } from './records.ts';
import { refuseWithoutPasswords } from './refuse-without-passwords.ts';
import { signedIn } from './signed-in.ts';
import * as store from './store.ts';
import * as teamStore from './team-store.ts';

export interface NewUserParts {
  db: Database;
  passwords: {
    /** A random one-time password and its hash. */
    oneTime(): Promise<{ password: string; hash: string }>;
  };
  /** Creates the invitation. Its audit entry causes the mail. Absent if the service sends no mail. */
  invite: ((tx: GovernedTx, user_id: string, made_by: string) => Promise<Invitation>) | undefined;
}

interface Invitation {
  password_token: string;
  expires_at: string;
}

/** Creates a user with an invitation by mail, or with a one-time password that must be changed. Only this answer shows the password. */
export async function createUser(
  { db, passwords, invite }: NewUserParts,
  caller: Caller,
  input: { email: string; name?: string | undefined; role: Role; one_time_password: boolean },
) {
  const grant = authorize(caller, 'user.create', theOrg);
  await refuseWithoutPasswords(db);
  const inviting = input.one_time_password ? undefined : invite;
  // An invited user also gets a random, unknown password, so that their sign-in takes as long as any other.
  const { password, hash } = await passwords.oneTime();
  const user = {
    email: input.email,
    name: input.name ?? input.email.split('@')[0] ?? input.email,
    role: input.role,
    password_hash: hash,
    must_change_password: true,
    seed_credential: false,
  };
  const { row, invitation } = await change(db, grant, 'user.created', async (tx, note) => {
    const made = await store.insertUser(tx, user);
    const mailed = await inviting?.(tx, made.id, signedIn(caller).label);
    note({ user: made.email, role: made.role, ...mailed });
    return { row: made, invitation: mailed };
  }).catch((error: unknown) => {
    if (errorCode(error) === unique_violation)
      throw new Problem('exists', { detail: `The user ${input.email} already exists.` });
    throw error;
  });
  return {
    ...adminUserRecord(row, { memberships: [], mail_expires_at: invitation?.expires_at }),
    ...(invitation === undefined ? { one_time_password: password } : {}),
  };
}

/** The end of the mailed link to choose a password, by user id. The folder login provides it. */
export type MailedUntil = (db: Reader, user_ids: readonly string[]) => Promise<ReadonlyMap<string, string>>;

export async function listUsers(
  { db, cursors, mailedUntil }: { db: Database; cursors: Cursors; mailedUntil: MailedUntil },
  caller: Caller,
  {
    limit,
    cursor,
    total,
    ...filter
  }: store.UserFilter & { limit: number; cursor?: string | undefined; total: boolean },
) {
  authorize(caller, 'user.list', theOrg);
  const scope = ['users', signedIn(caller).id, filter];
  const after = cursors.read(cursor, scope) as [string, string] | undefined; // as written below
  const rows = await store.users(db, {
    ...filter,
    after,
    limit: limit + 1,
  });
  const ids = rows.map(({ id }) => id);
  const [memberships, mailed] = await Promise.all([teamStore.membershipsOfUsers(db, ids), mailedUntil(db, ids)]);
  const page = cursors.page(
    rows,
    limit,
    scope,
    (row) => [row.email, row.id],
    (row) => adminUserRecord(row, { memberships, mail_expires_at: mailed.get(row.id) }),
  );
  return { ...page, ...(total && { total: await store.countUsers(db, filter) }) };
}

export async function showUser(
  { db, mailedUntil }: { db: Database; mailedUntil: MailedUntil },
  caller: Caller,
  id: string,
) {
  authorize(caller, 'user.list', theOrg);
  const row = await store.userById(db, id);
  if (row === undefined) throw new Problem('not_found');
  const memberships = await teamStore.membershipsOfUsers(db, [id]);
  return adminUserRecord(row, { memberships, mail_expires_at: (await mailedUntil(db, [id])).get(id) });
}

export interface UserParts {
  db: Database;
  /** Ends what the leaver had. The role api provides it. */
  leaves: Leaves;
  issueKey: IssueKey;
  mailedUntil: MailedUntil;
}

/** Changes name, role or status. A disabled user is signed out and loses their keys, but stays in their teams. */
export async function updateUser(
  { db, leaves, issueKey, mailedUntil }: UserParts,
  caller: Caller,
  id: string,
  changes: UserChanges,
) {
  const grant = authorize(caller, 'user.change', theOrg);
  await change(db, grant, 'user.changed', async (tx, note) => {
    const row = await store.lockUser(tx, id);
    if (row === undefined) throw new Problem('not_found');
    const before = { name: row.name, role: row.role, active: row.active };
    const after = {
      name: changes.name ?? row.name,
      role: changes.role ?? row.role,
      active: changes.active ?? row.active,
    };
    if (JSON.stringify(before) === JSON.stringify(after)) return;
    await store.updateUser(tx, id, after);
    if (row.active && row.role === 'admin' && !(after.active && after.role === 'admin')) await refuseTooFewAdmins(tx);
    if (row.active && !after.active) await refuseTooFewInTeams(tx, id);
    const ended = after.active ? {} : await leaves.user(tx, { id, email: row.email, how: 'disabled' });
    const issued =
      after.active && !row.active
        ? { keys: await issueKeys(tx, issueKey, { ...row, issued_by: signedIn(caller).id }) }
        : {};
    note({ user: row.email, before, after, ...ended, ...issued });
  });
  return await showUser({ db, mailedUntil }, caller, id);
}

export interface UserChanges {
  name?: string | undefined;
  role?: Role | undefined;
  active?: boolean | undefined;
}

/** A later user with the same address is another user. The assets go to `assets_to`. Throws `owns_assets` without one. */
export async function removeUser(
  { db, leaves }: UserParts,
  caller: Caller,
  id: string,
  assets_to: string | undefined,
): Promise<void> {
  const grant = authorize(caller, 'user.remove', theOrg);
  await change(db, grant, 'user.removed', async (tx, note) => {
    const user = await store.lockUser(tx, id);
    if (user === undefined) throw new Problem('not_found');
    await store.markRemoved(tx, id);
    await refuseTooFewInTeams(tx, id);
    const teams = await teamStore.membershipsOfUsers(tx, [id]);
    for (const { team_id } of teams) await teamStore.deleteMember(tx, team_id, id);
    // After the memberships, as in removeMember: both lock in the same order.
    const ended = await leaves.user(tx, { id, email: user.email, how: 'removed', assets_to });
    if (user.active && user.role === 'admin') await refuseTooFewAdmins(tx);
    note({
      user: user.email,
      role: user.role,
      teams: teams.map(({ team }) => team),
      ...ended,
    });
  });
}

/** In each of their teams. */
async function issueKeys(tx: GovernedTx, issueKey: IssueKey, user: Omit<NewMember, 'team_id'>): Promise<string[]> {
  const keys: string[] = [];
  for (const { team_id } of await teamStore.membershipsOfUsers(tx, [user.id]))
    keys.push(await issueKey(tx, { ...user, team_id }));
  return keys;
}

/** Call this after the user is inactive: each of their teams keeps enough admins for its requests. */
async function refuseTooFewInTeams(tx: GovernedTx, id: string): Promise<void> {
  for (const { team_id, role } of await teamStore.membershipsOfUsers(tx, [id]))
    if (role === 'admin') await refuseTooFewAdmins(tx, team_id);
}
