import { Problem } from '@gantry/contract/problems.ts';
import type { Role } from '@gantry/contract/roles.ts';
import { authorize } from '../access/authorize.ts';
import type { Caller } from '../access/caller.ts';
import { change } from '../access/change.ts';
import { theOrg } from '../access/subject.ts';
import { errorCode, unique_violation, type Database } from '../database/database.ts';
import type { Cursors } from '../http/cursor.ts';
import { adminUserRecord } from './records.ts';
import { signedIn } from './signed-in.ts';
import * as store from './store.ts';

export interface PasswordMaker {
  /** A random one-time password and its hash. */
  oneTime(): Promise<{ password: string; hash: string }>;
}

/** Creates a user with a one-time password, flagged for change, which the answer alone ever shows. */
export async function createUser(
  db: Database,
  passwords: PasswordMaker,
  caller: Caller,
  input: { email: string; name?: string | undefined; role: Role },
) {
  const grant = authorize(caller, 'user.create', theOrg);
  const { password, hash } = await passwords.oneTime();
  const user = {
    email: input.email,
    name: input.name ?? input.email.split('@')[0] ?? input.email,
    role: input.role,
    password_hash: hash,
    must_change_password: true,
    seed_credential: false,
  };
  const row = await change(db, grant, 'user.created', async (tx, note) => {
    const made = await store.insertUser(tx, user);
    note({ user: made.email, role: made.role });
    return made;
  }).catch((error: unknown) => {
    if (errorCode(error) === unique_violation)
      throw new Problem('exists', { detail: `There is a user ${input.email} already.` });
    throw error;
  });
  return { ...adminUserRecord(row, []), one_time_password: password };
}

export async function listUsers(
  db: Database,
  cursors: Cursors,
  caller: Caller,
  query: { limit: number; cursor?: string | undefined },
) {
  authorize(caller, 'user.list', theOrg);
  const scope = ['users', signedIn(caller).id];
  const after = cursors.read(query.cursor, scope)?.[0];
  const rows = await store.users(db, {
    after: after === undefined ? undefined : String(after),
    limit: query.limit + 1,
  });
  const memberships = await store.membershipsOfUsers(
    db,
    rows.map((row) => row.id),
  );
  return cursors.page(
    rows,
    query.limit,
    scope,
    (row) => [row.email],
    (row) => adminUserRecord(row, memberships),
  );
}
