import { Problem } from '@gantry/contract/problems.ts';
import { append } from '../audit/append.ts';
import { actorOf, type Caller } from '../access/caller.ts';
import { findUserById } from '../principals/find.ts';
import { userRecord } from '../principals/records.ts';
import { signedIn } from '../principals/signed-in.ts';
import type { Database } from '../database/database.ts';
import * as store from './store.ts';

export async function me(db: Database, caller: Caller) {
  const user = signedIn(caller);
  const row = await findUserById(db, user.id);
  if (row === undefined) throw new Problem('unauthenticated');
  return userRecord(user, row);
}

/** Ends this session, or all of the caller's. */
export async function revoke(db: Database, caller: Caller, all: boolean): Promise<void> {
  const user = signedIn(caller);
  await db.transaction(async (tx) => {
    const ended = all ? await store.revokeSessions(tx, user.id, null) : await store.revokeSession(tx, user.session_id);
    const origin = { ip: user.origin.ip, request_id: user.origin.request_id };
    await append(
      tx,
      {
        ...origin,
        event: 'session.revoked',
        outcome: 'done',
        actor: actorOf(user),
        team: null,
        asset: null,
        detail: { all, ended },
      },
      [],
    );
  });
}
