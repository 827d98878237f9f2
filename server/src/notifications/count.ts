import { authorize } from '../access/authorize.ts';
import type { Caller } from '../access/caller.ts';
import { theOrg } from '../access/subject.ts';
import type { Database } from '../database/database.ts';
import { signedInUser } from '../principals/signed-in.ts';
import * as store from './store.ts';

/** For a badge: what waits for the caller. */
export async function count(db: Database, caller: Caller): Promise<{ pending: number; unread: number }> {
  const user = signedInUser(caller);
  authorize(user, 'notification.read', theOrg);
  return await store.counts(db, user);
}
