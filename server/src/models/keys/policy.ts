// Who sees and who manages a gateway key: its own user; admins of the key's team; platform admins. Beside the rule is its SQL condition.
import type { KeyScope } from '@gantry/contract/models/keys.ts';
import type { Operation } from '@gantry/contract/roles.ts';
import type { SignedInCaller } from '../../governance/access/caller.ts';
import { decide } from '../../governance/access/decide.ts';
import { grantFor, teamsToRead } from '../../governance/access/reading.ts';
import { theOrg, type Subject } from '../../governance/access/subject.ts';
import { sql, type Sql } from '../../ground/database/sql.ts';

export interface OfScope {
  scope: KeyScope;
  scope_id: string;
  team_id: string | null;
  team: string | null;
}

export function isListed(caller: SignedInCaller, key: OfScope): boolean {
  return isOwn(caller, key) || mayManage(caller, key);
}

/** True for the scope of the caller's own person or service principal. */
export function isOwn(caller: SignedInCaller, { scope, scope_id }: Pick<OfScope, 'scope' | 'scope_id'>): boolean {
  return scope === caller.kind && scope_id === caller.id;
}

function mayManage(caller: SignedInCaller, { team_id, team }: OfScope): boolean {
  const { allowed } =
    team_id === null || team === null
      ? decide(caller, 'key.manage_org', theOrg)
      : decide(caller, 'key.manage', { kind: 'team', id: team_id, name: team });
  return allowed;
}

/** isListed() as a condition on `gateway_key k`. */
export function whereListed(caller: SignedInCaller): Sql {
  const own = sql`(k.scope = ${caller.kind} and k.scope_id = ${caller.id})`;
  // The keys of others are for people.
  if (caller.kind === 'principal') return own;
  if (caller.role === 'admin') return sql`true`;
  const administered = caller.memberships.filter(({ role }) => role === 'admin').map(({ team_id }) => team_id);
  return sql`(${own} or k.team_id = any(${administered}))`;
}

/** The permission for the limits and the spending of a holder; undefined for one's own. */
export function budgetPermission(
  caller: SignedInCaller,
  { team_id, team, ...of }: OfScope,
): [Operation, Subject] | undefined {
  if (team_id === null || team === null) return ['budget.read_org', theOrg];
  if (isOwn(caller, of)) return undefined;
  return ['budget.read', { kind: 'team', id: team_id, name: team }];
}

/** The owner of an account, by immutable ids. */
export interface OfAccount {
  team_id: string | null;
  team: string | null;
  /** The member, or the holder of a key. */
  user_id: string | null;
  principal_id: string | null;
  /** The scope of a key; null for any other account. */
  key_scope: KeyScope | null;
  key_scope_id: string | null;
}

/** An account of a key is for the readers of the key and of its team's costs, any other one for the readers of the budget. */
export function readsBudget(caller: SignedInCaller, of: OfAccount): boolean {
  const { team_id, team, user_id, principal_id, key_scope, key_scope_id } = of;
  const isOfKey = key_scope !== null && key_scope_id !== null;
  if (isOfKey && isListed(caller, { scope: key_scope, scope_id: key_scope_id, team_id, team })) return true;
  if (isOfKey) return grantFor(caller, 'read_costs', team_id) !== undefined;
  const scope: KeyScope = user_id !== null ? 'user' : principal_id !== null ? 'principal' : 'team';
  const needed = budgetPermission(caller, { scope, scope_id: user_id ?? principal_id ?? team_id ?? '', team_id, team });
  return needed === undefined || decide(caller, ...needed).allowed;
}

/** readsBudget() as a condition on the columns of OfAccount. */
export function whereReadsBudget(caller: SignedInCaller): Sql {
  const teams = teamsToRead(caller, 'read_costs');
  if (teams === 'all') return sql`true`;
  return sql`(${caller.id} in (user_id, principal_id, key_scope_id) or team_id = any(${teams}))`;
}
