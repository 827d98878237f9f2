// Who sees and who manages a gateway key: its own user; admins of the key's team; platform admins. Beside the rule is its SQL condition.
import type { KeyScope } from '@gantry/contract/keys.ts';
import type { SignedInCaller } from '../access/caller.ts';
import { decide } from '../access/decide.ts';
import { theOrg } from '../access/subject.ts';
import { sql, type Sql } from '../database/sql.ts';

export interface OfScope {
  scope: KeyScope;
  scope_id: string;
  team_id: string | null;
  team: string | null;
}

export function isListed(caller: SignedInCaller, key: OfScope): boolean {
  return isOwn(caller, key) || mayManage(caller, key);
}

/** Of the caller's own person or service principal. */
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
  if (caller.role === 'admin') return sql`true`;
  const administered = caller.memberships.filter(({ role }) => role === 'admin').map(({ team_id }) => team_id);
  return sql`(${own} or k.team_id = any(${administered}))`;
}
