import { orgActions } from '@gantry/contract/people/login.ts';
import { append } from '../../governance/audit/append.ts';
import { can } from '../../governance/access/can.ts';
import { actorOf, type Caller } from '../../governance/access/caller.ts';
import type { GovernedTx } from '../../governance/access/change.ts';
import { theOrg } from '../../governance/access/subject.ts';
import { userRecord } from '../principals/records.ts';
import { signedIn } from '../principals/signed-in.ts';
import { sessionOf } from '../../ground/copies/copies.ts';
import type { Database, Reader } from '../../ground/database/database.ts';
import { findNames } from '../service-principals/find.ts';
import { endClients } from './clients/end-grant.ts';
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

/** Ends this session, or all of the caller's with those of clients. A token of another issuer is no session: nothing ends then, and the entry says so. */
export async function revoke(db: Database, caller: Caller, all: boolean): Promise<void> {
  const user = signedIn(caller);
  await db.transaction(async (tx) => {
    if (all) await endClients(tx, user.id);
    const ended = all
      ? await store.revokeSessions(tx, user.id, null)
      : await store.revokeSession(tx, sessionOf(user.presence));
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

/** All sessions and open password tokens of a user, and what clients may do for them. */
export async function endSessions(tx: GovernedTx, user_id: string): Promise<number> {
  await endTokens(tx, user_id);
  await endClients(tx, user_id);
  return await store.revokeSessions(tx, user_id, null);
}
