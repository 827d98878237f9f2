// Limits of the accounts that pay for calls besides a key's own: of a member, a service principal, an agent, a team, the organisation.
import type { Budget } from '@gantry/contract/models/budgets.ts';
import type { Limits } from '@gantry/contract/models/keys.ts';
import { authorize } from '../../../governance/access/authorize.ts';
import type { Caller } from '../../../governance/access/caller.ts';
import { change } from '../../../governance/access/change.ts';
import { theOrg } from '../../../governance/access/subject.ts';
import type { Reader } from '../../../ground/database/database.ts';
import { changeLimits, limitsOf, noLimits } from '../../ledger/limits.ts';
import { spendingOf } from '../../ledger/spending.ts';
import { signedIn } from '../../../people/principals/signed-in.ts';
import { holderAccount } from './accounts.ts';
import type { KeyParts } from '../parts.ts';
import { budgetPermission } from '../policy.ts';
import { findScope, type AskedScope, type Scope } from '../scope.ts';
import * as store from '../store.ts';

/** For its holder, and for admins there. */
export async function showBudget({ db }: KeyParts, caller: Caller, asked: AskedScope): Promise<Budget> {
  const user = signedIn(caller);
  authorize(user, 'key.list', theOrg);
  const of = await findScope(db, user, asked);
  const needed = budgetPermission(user, { ...of, team_id: of.team?.id ?? null, team: of.team?.name ?? null });
  if (needed !== undefined) authorize(user, ...needed);
  return await record(db, of);
}

/** A limit under what is spent is allowed: the answer then has the time of the next call. */
export async function setBudget(
  { db }: KeyParts,
  caller: Caller,
  { limits, ...asked }: AskedScope & { limits: { [K in keyof Limits]?: Limits[K] | undefined } },
): Promise<Budget> {
  const user = signedIn(caller);
  const of = await findScope(db, user, asked);
  const grant =
    of.team === null ? authorize(user, 'budget.change_org', theOrg) : authorize(user, 'budget.change', of.team);
  const given = JSON.parse(JSON.stringify(limits)) as Partial<Limits>; // without undefined members
  await change(db, grant, 'budget.changed', async (tx, note) => {
    await store.holdHolder(tx, { ...of, team_id: of.team?.id ?? null });
    const { before, after } = await changeLimits(tx, await accountOf(tx, of), given);
    note({ scope: of.scope, for: of.name, before, after });
  });
  return await record(db, of);
}

async function record(db: Reader, of: Scope): Promise<Budget> {
  const id = await accountOf(db, of);
  const [[limits = noLimits], spending] = await Promise.all([limitsOf(db, [id]), spendingOf(db, id)]);
  return { scope: of.scope, scope_name: of.name, team: of.team?.name ?? null, limits, ...spending };
}

const accountOf = async (db: Reader, { scope, scope_id, team }: Scope) =>
  await holderAccount(db, { scope, scope_id, team_id: team?.id ?? null });
