// The rule for readers of a log entry. Beside it is the SQL condition for its candidates.
import type { AuditEntry } from '@gantry/contract/audit/audit.ts';
import { sql, type Sql } from '../../ground/database/sql.ts';
import { microseconds } from './microseconds.ts';

/** A reader's scope: their teams as admin, their assets, and their own actions. */
export interface Scope {
  teams: Named[];
  assets: Named[];
  actor: Named;
}

export interface Named {
  /** The name in entries: a team, agents/<name>, an e-mail. */
  name: string;
  /** Earlier entries are about a deleted one with the same name. */
  created_at: string;
}

/** Refusals that told their caller nothing. The log contains the hidden facts and must not show them to the same caller. */
const silent: readonly string[] = ['not_found', 'exists'];

/** Without a scope: true for all entries. */
export function mayReadEntry(scope: Scope | undefined, entry: AuditEntry): boolean {
  if (scope === undefined) return true;
  const isOneOf = (name: string | null, named: readonly Named[]) =>
    named.some((mine) => mine.name === name && entry.occurred_at >= microseconds(mine.created_at));
  const { teams, assets, actor } = scope;
  if (isOneOf(entry.team, teams) || isOneOf(receivingTeam(entry), teams) || isOneOf(entry.asset, assets)) return true;
  const { code } = entry.detail;
  const isHidden = entry.event === 'refused' && (typeof code !== 'string' || silent.includes(code));
  return isOneOf(entry.actor.name, [actor]) && !isHidden;
}

// A transfer is recorded under the old team. The new team may read it too.
function receivingTeam({ event, detail: { after } }: AuditEntry): string | null {
  if (event !== 'asset.transferred' || typeof after !== 'object' || after === null || !('team' in after)) return null;
  return typeof after.team === 'string' ? after.team : null;
}

/** mayReadEntry() as a condition on `audit.entry`. */
export function whereMayReadEntry({ teams, assets, actor }: Scope): Sql {
  const receiving = sql`case event when 'asset.transferred' then body::jsonb #>> '{detail,after,team}' end`;
  const open = sql`(event <> 'refused' or body::jsonb #>> '{detail,code}' <> all(${silent}))`;
  return sql`(${isOneOf(sql`team`, teams)} or ${isOneOf(receiving, teams)} or ${isOneOf(sql`asset`, assets)}
    or (${isOneOf(sql`actor`, [actor])} and ${open}))`;
}

function isOneOf(column: Sql, named: readonly Named[]): Sql {
  const names = named.map(({ name }) => name);
  const times = named.map(({ created_at }) => microseconds(created_at));
  return sql`exists (select from unnest(${names}::text[], ${times}::text[]) as mine (name, since) where ${column} = mine.name and occurred_at >= since)`;
}
