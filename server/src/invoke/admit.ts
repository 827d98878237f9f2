// May this caller call this agent? ACL `use`, then allowed_callers, which only ever narrows.
import { Problem } from '@gantry/contract/problems.ts';
import { Refusal, authorize } from '../access/authorize.ts';
import type { Caller, UserCaller } from '../access/caller.ts';
import { effectiveRole } from '../access/decide.ts';
import { signedIn } from '../principals/signed-in.ts';
import type { Serving, ServingAgents } from '../deploy/serving.ts';

/** Throws the refusal, or `not_deployed`. */
export async function admit(
  agents: ServingAgents,
  caller: Caller,
  name: string,
): Promise<Serving & { user: UserCaller }> {
  const user = signedIn(caller);
  const serving = await agents.serving(name);
  const agent = serving?.agent ?? (await agents.find(name));
  if (agent === undefined) throw new Problem('not_found');
  authorize(user, 'asset.invoke', agent);
  if (serving === undefined) throw new Problem('not_deployed', { detail: `agents/${name} is not deployed.` });
  if (!isAllowedCaller(user, serving)) {
    const teams = serving.allowed_teams?.map((team) => `team:${team}`).join(', ');
    throw new Refusal(
      { code: 'forbidden', reason: `agents/${name} takes calls from ${teams} only (access.allowed_callers).` },
      'asset.invoke',
      agent,
    );
  }
  return { ...serving, user };
}

function isAllowedCaller(user: UserCaller, { agent, allowed_teams }: Serving): boolean {
  if (allowed_teams === undefined || agent.owner_id === user.id || effectiveRole(user, agent.team.id) === 'admin')
    return true;
  return user.memberships.some(({ team }) => allowed_teams.includes(team));
}
