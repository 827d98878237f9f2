import { orgActions } from '@gantry/contract/login.ts';
import { append } from '../audit/append.ts';
import { can } from '../access/can.ts';
import { actorOf, type Caller } from '../access/caller.ts';
import type { GovernedTx } from '../access/change.ts';
import { theOrg } from '../access/subject.ts';
import { userRecord } from '../principals/records.ts';
import { signedIn } from '../principals/signed-in.ts';
import type { Database, Reader } from '../database/database.ts';
import { findNames } from '../service-principals/find.ts';
import { endTokens } from './password-token-store.ts';
import * as store from './store.ts';

export async function me(db: Reader, caller: Caller) {
  const user = signedIn(caller);
  const depending = {
    'budgets.set': 'budget.change_org',
    'budgets.show': 'budget.read_org',
    'grants.create': 'grant.change_org',
  } as const;
  const names = new Map(
    (
      await findNames(
        db,
        user.reading.flatMap(({ team_id }) => team_id ?? []),
      )
    ).map(({ id, name }) => [id, name]),
  );
  const reading = user.reading.map(({ id, right, team_id, expires_at }) => {
    return { id, right, team: team_id && (names.get(team_id) ?? null), expires_at };
  });
  return { ...userRecord(user), reading, can: can(user, theOrg, orgActions, depending) };
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

/** All sessions and open password tokens of a user. */
export async function endSessions(tx: GovernedTx, user_id: string): Promise<number> {
  await endTokens(tx, user_id);
  return await store.revokeSessions(tx, user_id, null);
}
