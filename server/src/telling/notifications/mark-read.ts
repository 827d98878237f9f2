import { authorize } from '../../governance/access/authorize.ts';
import type { Caller } from '../../governance/access/caller.ts';
import { theOrg } from '../../governance/access/subject.ts';
import type { Database } from '../../ground/database/database.ts';
import { signedInUser } from '../../people/principals/signed-in.ts';
import { countsOf, type Counts } from './count.ts';
import * as store from './store.ts';

/** Marks the caller's own ones of these. Returns the remaining count. */
export async function markRead(db: Database, caller: Caller, ids: readonly string[]): Promise<Counts> {
  const user = signedInUser(caller);
  authorize(user, 'notification.read', theOrg);
  await store.markRead(db, user.id, ids);
  return await countsOf(db, user);
}
