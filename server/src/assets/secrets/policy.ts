// The secrets that a list shows: those of a team to its members, those of an agent to its readers.
import type { SignedInCaller } from '../../governance/access/caller.ts';
import { canRead, decide, whereCanRead } from '../../governance/access/decide.ts';
import type { AssetSubject } from '../../governance/access/subject.ts';
import { sql, type Sql } from '../../ground/database/sql.ts';
import { whereListedOfTeam } from '../../people/principals/policy.ts';

interface Scoped {
  team_id: string | null;
  team: string | null;
}

/** `agent` is the agent of an agent's secret. */
export function isSecretListed(caller: SignedInCaller, { team_id, team }: Scoped, agent?: AssetSubject): boolean {
  if (team_id === null) return agent !== undefined && canRead(caller, agent);
  return decide(caller, 'team_secret.read', { kind: 'team', id: team_id, name: team ?? '' }).allowed;
}

/** isSecretListed() as a condition on `secret s` and its `asset a`. */
export function whereSecretIsListed(caller: SignedInCaller): Sql {
  return sql`((s.team_id is not null and ${whereListedOfTeam(caller, sql`s.team_id`)})
    or (s.agent_id is not null and ${whereCanRead(caller)}))`;
}
