import type { KeyDefaults } from '@gantry/contract/models/budgets.ts';
import { Problem } from '@gantry/contract/problems.ts';
import { authorize } from '../../../governance/access/authorize.ts';
import type { Caller } from '../../../governance/access/caller.ts';
import { change } from '../../../governance/access/change.ts';
import type { Reader } from '../../../ground/database/database.ts';
import { exactLimits, isBudget, limitsOf, noLimits } from '../../ledger/limits.ts';
import { holdTeam } from '../../../people/principals/find.ts';
import { loadTeam } from '../../../people/principals/load-team.ts';
import type { KeyParts } from '../parts.ts';
import * as store from '../store.ts';

const none: KeyDefaults = { models: ['*'], limits: noLimits, expires_in_seconds: null };

/** What the keys of new members and service principals get. */
export async function defaultsOf(db: Reader, team_id: string): Promise<KeyDefaults> {
  return (await store.defaults(db, team_id)) ?? none;
}

export async function showKeyDefaults({ db }: KeyParts, caller: Caller, team: string): Promise<KeyDefaults> {
  const subject = await loadTeam(db, team);
  authorize(caller, 'key_defaults.read', subject);
  return await defaultsOf(db, subject.id);
}

/** Teams that may spend without a limit, also over their new members. */
export async function teamsWithoutBudget(db: Reader): Promise<string[]> {
  const teams = await store.teams(db);
  const limits = await limitsOf(
    db,
    teams.map(({ id }) => id),
  );
  return teams.filter(({ defaults }, index) => ![limits[index], defaults].some(isBudget)).map(({ name }) => name);
}

export interface NewKeyDefaults {
  models?: string[] | undefined;
  limits?: { [K in keyof KeyDefaults['limits']]?: KeyDefaults['limits'][K] | undefined } | undefined;
  expires_in_seconds?: number | null | undefined;
}

/** Keys and limits that exist stay as they are. */
export async function setKeyDefaults(
  parts: KeyParts,
  caller: Caller,
  team: string,
  given: NewKeyDefaults,
): Promise<KeyDefaults> {
  const { db } = parts;
  const subject = await loadTeam(db, team);
  const grant = authorize(caller, 'budget.change', subject);
  return await change(db, grant, 'key_defaults.changed', async (tx, note) => {
    if (!(await holdTeam(tx, subject.id))) throw new Problem('not_found');
    const before = await defaultsOf(tx, subject.id);
    const { models = before.models, expires_in_seconds = before.expires_in_seconds } = given;
    const after = { models, limits: exactLimits({ ...before.limits, ...defined(given.limits) }), expires_in_seconds };
    await store.putDefaults(tx, subject.id, after);
    note({ before, after });
    return after;
  });
}

/** Without undefined members. */
function defined<T extends object>(given: T | undefined): Partial<{ [K in keyof T]: Exclude<T[K], undefined> }> {
  return JSON.parse(JSON.stringify(given ?? {})) as Partial<{ [K in keyof T]: Exclude<T[K], undefined> }>; // JSON has no undefined
}
