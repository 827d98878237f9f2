// The keys of members and service principals. A holder gets one with each team, with the defaults of the team. Nobody has seen it: it waits
// until its holder claims it. One that has expired is replaced at the next sign-in.
import type { WaitingKey } from '@gantry/contract/people/login.ts';
import { authorize } from '../../../governance/access/authorize.ts';
import { systemCaller } from '../../../governance/access/caller.ts';
import { change, type GovernedTx } from '../../../governance/access/change.ts';
import { theOrg } from '../../../governance/access/subject.ts';
import type { Database } from '../../../ground/database/database.ts';
import { hasLimits, setLimits } from '../../ledger/limits.ts';
import type { IssueKey } from '../../../people/principals/new-member.ts';
import { holderAccount } from '../accounts/accounts.ts';
import { endKeys } from '../end-keys.ts';
import { issueKey } from '../issue-key.ts';
import { defaultsOf } from './key-defaults.ts';
import type { KeyMaker } from '../parts.ts';
import * as store from '../store.ts';

export interface Member {
  scope: 'user' | 'principal';
  id: string;
  /** E-mail or name. */
  name: string;
  team_id: string;
  issued_by: string;
}

/** What lower folders call for a new member of a team. */
export function issuesUserKeys(maker: KeyMaker): IssueKey {
  return async (tx, { email, ...member }) => await issueMemberKey(maker, tx, { ...member, scope: 'user', name: email });
}

/**
 * For a new member or service principal, and for a user who is enabled again. Limits that they do not have yet are the team's defaults.
 * Returns the key's name. A key that waits or works stays.
 */
export async function issueMemberKey(maker: KeyMaker, tx: GovernedTx, member: Member): Promise<string> {
  const present = await store.issuedKey(tx, member);
  if (present !== undefined) return `key:${present.prefix}`;
  const prefix = await issueWaiting(maker, tx, { ...member, alias: `${member.scope}:${member.name}` });
  const account = await holderAccount(tx, { ...member, scope_id: member.id });
  if (!(await hasLimits(tx, account))) await setLimits(tx, account, (await defaultsOf(tx, member.team_id)).limits);
  return `key:${prefix}`;
}

/** Replaces expired keys, and returns those that wait. */
export async function keysAtSignIn(
  { db, ...maker }: KeyMaker & { db: Database },
  holder: Pick<Member, 'scope' | 'id'>,
): Promise<WaitingKey[]> {
  for (const expired of await store.expiredKeys(db, holder)) {
    const grant = authorize(systemCaller('system.issue_key'), 'system.issue_key', theOrg);
    await change(db, grant, 'key.created', async (tx, note) => {
      const [ended] = await endKeys(tx, [expired.id]);
      if (ended === undefined) return; // another sign-in was first
      const { alias, name, team_id, team } = expired;
      const key = await issueWaiting(maker, tx, { ...holder, alias, team_id, issued_by: holder.id });
      note({ key, key_alias: alias, scope: holder.scope, for: name, replaces: ended }, { team });
    });
  }
  return await store.waitingKeys(db, holder);
}

async function issueWaiting(
  maker: KeyMaker,
  tx: GovernedTx,
  { alias, scope, id: scope_id, team_id, issued_by }: Omit<Member, 'name'> & { alias: string },
): Promise<string> {
  const { models, expires_in_seconds } = await defaultsOf(tx, team_id);
  const { prefix } = await issueKey(maker, tx, {
    alias,
    scope,
    scope_id,
    team_id,
    models,
    tags: [],
    created_by: issued_by,
    expires_in_seconds: expires_in_seconds ?? undefined,
    issued: true,
  });
  return prefix;
}
