// Who sees which costs: of oneself; of an agent, who may edit it; of a team, its admins and the holders of a grant; of all, platform admins and
// the holders of a grant on the organisation.
import type { Permitted } from '@gantry/contract/can.ts';
import type { SignedInCaller } from '../../governance/access/caller.ts';
import { decide, principalOf } from '../../governance/access/decide.ts';
import { howToGet, teamsToRead } from '../../governance/access/reading.ts';
import type { AssetSubject } from '../../governance/access/subject.ts';

export function readsCostsOf(caller: SignedInCaller, agent: AssetSubject): boolean {
  return (
    decide(caller, 'asset.write', agent).allowed ||
    decide(caller, 'budget.read', { ...agent.team, kind: 'team' }).allowed
  );
}

/** Whether a report for these filters has all calls, or only those that the caller may see. It tells nothing about hidden teams and agents. */
export function mayReadWhole(
  caller: SignedInCaller,
  { team, agent }: { team: { id: string; name: string } | string | undefined; agent: AssetSubject | undefined },
): Permitted {
  if (teamsToRead(caller, 'read_costs') === 'all') return { allowed: true };
  const known = typeof team === 'object' ? team : undefined;
  if (known !== undefined && decide(caller, 'budget.read', { ...known, kind: 'team' }).allowed)
    return { allowed: true };
  if (agent !== undefined && readsCostsOf(caller, agent)) return { allowed: true };
  const name = typeof team === 'string' ? team : (team?.name ?? agent?.team.name ?? null);
  return hidden(
    caller,
    name,
    'You may see only your own calls, and those of agents and teams whose costs you may read.',
  );
}

function hidden(caller: SignedInCaller, team: string | null, reason: string): Permitted {
  const { whom, ask } = howToGet('read_costs', principalOf(caller), team);
  return { allowed: false, reason: `${reason} Ask ${whom}.`, ask };
}
