import { authorize } from '../../governance/access/authorize.ts';
import type { Caller, UserCaller } from '../../governance/access/caller.ts';
import { theOrg } from '../../governance/access/subject.ts';
import { countWaiting } from '../../agents/approvals/waiting.ts';
import type { Database } from '../../ground/database/database.ts';
import { signedInUser } from '../../people/principals/signed-in.ts';
import { isReadable } from './policy.ts';
import { readableAssets } from './read-rows.ts';
import * as store from './store.ts';

export interface Counts {
  /** Requests that the caller can decide. */
  pending: number;
  unread: number;
}

/** For a badge: the caller's unread notifications and open requests. */
export async function count(db: Database, caller: Caller): Promise<Counts> {
  const user = signedInUser(caller);
  authorize(user, 'notification.read', theOrg);
  return await countsOf(db, user);
}

export async function countsOf(db: Database, user: UserCaller): Promise<Counts> {
  const [pending, unread] = await Promise.all([countWaiting(db, user), countUnread(db, user)]);
  return { pending, unread };
}

export async function countUnread(db: Database, user: UserCaller): Promise<number> {
  const rows = await store.unreadBySubject(db, user);
  const assets = await readableAssets(db, user, rows);
  const readable = rows.filter((row) => isReadable(user, row, assets.get(row.asset_id ?? '')));
  return readable.reduce((sum, { unread }) => sum + unread, 0);
}
