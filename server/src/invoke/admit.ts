// May this caller call this agent? ACL `use`, then allowed_callers, which only ever narrows.
import { Problem } from '@gantry/contract/problems.ts';
import { Refusal, authorize } from '../access/authorize.ts';
import type { Caller, UserCaller } from '../access/caller.ts';
import { effectiveRole } from '../access/decide.ts';
import { signedIn } from '../principals/signed-in.ts';
import type { Serving, ServingAgents, ServingInstance } from '../deploy/serving.ts';

export interface Admitted {
  user: UserCaller;
  agent: Serving['agent'];
  /** The revision that takes the call, and no other does. */
  instance: ServingInstance;
}

/** Throws the refusal, `not_deployed`, or `agent_unavailable` while the container is started again. */
export async function admit(agents: ServingAgents, caller: Caller, name: string): Promise<Admitted> {
  const user = signedIn(caller);
  const serving = await agents.serving(name);
  const agent = serving?.agent ?? (await agents.find(name));
  if (agent === undefined) throw new Problem('not_found');
  authorize(user, 'asset.invoke', agent);
  if (serving === undefined) throw new Problem('not_deployed', { detail: `agents/${name} is not deployed.` });
  if (!isAllowedCaller(user, serving)) throw notAllowed(serving, name);
  if (serving.desired === 'stopped')
    throw new Problem('not_deployed', { detail: `agents/${name} is stopped.`, hint: `Run \`svc start ${name}\`.` });
  if (serving.revision === undefined)
    throw new Problem('agent_unavailable', { detail: `The container of agents/${name} is being started again.` });
  return { user, agent, instance: serving.revision };
}

function isAllowedCaller(user: UserCaller, { agent, allowed_teams }: Serving): boolean {
  if (allowed_teams === undefined || agent.owner_id === user.id || effectiveRole(user, agent.team.id) === 'admin')
    return true;
  return user.memberships.some(({ team }) => allowed_teams.includes(team));
}

function notAllowed({ agent, allowed_teams = [] }: Serving, name: string): Refusal {
  const teams = allowed_teams.map((team) => `team:${team}`).join(', ');
  const reason = `agents/${name} takes calls from ${teams === '' ? 'nobody' : teams} only (access.allowed_callers).`;
  return new Refusal({ code: 'forbidden', reason }, 'asset.invoke', agent);
}
