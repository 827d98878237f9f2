// Decides if the caller may call the agent: first the ACL's `use`, then allowed_callers, which can only narrow it.
import type { HiddenContent } from '@gantry/contract/agent-yaml/tracing.ts';
import { Problem } from '@gantry/contract/problems.ts';
import type { Caller, SignedInCaller } from '../access/caller.ts';
import type { AssetRecord } from '../registry/find.ts';
import { requireCallable } from '../deploy/require-callable.ts';
import { signedIn } from '../principals/signed-in.ts';
import type { ServingAgents, ServingInstance } from '../deploy/serving.ts';

export interface Admitted {
  user: SignedInCaller;
  agent: AssetRecord;
  /** The only revision that may take the call. */
  instance: ServingInstance;
  /** From the traces of the run. */
  hidden: HiddenContent;
}

/** Throws the refusal, `not_deployed`, or `agent_unavailable` while the container restarts. */
export async function admit(agents: ServingAgents, caller: Caller, name: string): Promise<Admitted> {
  const { caller: user, agent, serving } = await agents.find(signedIn(caller), name);
  if (agent === undefined) throw new Problem('not_found');
  requireCallable(user, agent, serving);
  if (serving.revision === undefined)
    throw new Problem('agent_unavailable', { detail: `The container of agents/${name} is restarting.` });
  return { user, agent, instance: serving.revision, hidden: serving.hidden };
}
