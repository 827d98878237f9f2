// The assets that lists and searches show, with the same rule as an SQL condition that narrows the candidates, and who reads files.
import type { SignedInCaller } from '../../governance/access/caller.ts';
import { canRead, covers, isMember, whereCanRead, whereCovers } from '../../governance/access/decide.ts';
import type { AssetSubject } from '../../governance/access/subject.ts';
import { sql, type Sql } from '../../ground/database/sql.ts';

/**
 * Code and its settings are for those who may change them. A skill is text for agents: whoever decides on an agent with it must be able to read
 * what the agent will follow.
 */
export const textOfFilesNeeds = ({ ref }: AssetSubject): 'asset.read' | 'asset.write' =>
  ref.startsWith('skills/') ? 'asset.read' : 'asset.write';

/**
 * Platform admins get all. Others get those of their teams, their own, published ones and those granted by name, if readable, and every model
 * that they may use: its name leads to it.
 */
export function isListed(caller: SignedInCaller, asset: AssetSubject): boolean {
  if (!canRead(caller, asset)) return false;
  if (caller.kind === 'user' && caller.role === 'admin') return true;
  const byName = asset.entries.some(
    (entry) => entry.principal_type !== 'org' && entry.principal_type !== 'team' && covers(entry, caller),
  );
  const isUsable =
    asset.ref.startsWith('models/') &&
    asset.entries.some((entry) => entry.actions.includes('use') && covers(entry, caller));
  return isMember(caller, asset.team.id) || asset.owner_id === caller.id || asset.published || byName || isUsable;
}

/** isListed() as a condition on `asset a`. */
export function whereListed(caller: SignedInCaller): Sql {
  if (caller.kind === 'user' && caller.role === 'admin') return sql`true`;
  const teams = caller.memberships.map(({ team_id }) => team_id);
  const byName = sql`exists (select from permission p where p.asset_id = a.id and p.principal_id = any(${[caller.id, ...caller.groups]}))`;
  const isUsable = sql`(a.kind = 'model' and exists (select from permission p where p.asset_id = a.id and 'use' = any(p.actions)
    and ${whereCovers(caller)}))`;
  return sql`(${whereCanRead(caller)}
    and (a.team_id = any(${teams}) or a.owner_id = ${caller.id} or a.published or ${byName} or ${isUsable}))`;
}
