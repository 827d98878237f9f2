// Decides if the caller may call the agent: first the ACL's `use`, then allowed_callers, which can only narrow it.
import type { HiddenContent } from '@gantry/project/agent-yaml/tracing.ts';
import { Problem } from '@gantry/contract/problems.ts';
import type { Caller, EndCaller } from '../../governance/access/caller.ts';
import type { AssetRecord } from '../../assets/registry/find.ts';
import type { Through } from '../delegated-calls/delegation.ts';
import { requireCallable } from '../deploy/serving/require-callable.ts';
import { signedIn } from '../../people/principals/signed-in.ts';
import type { Serving, ServingAgents, ServingRevision } from '../deploy/serving/serving.ts';

export interface Admitted {
  user: EndCaller;
  /** Undefined when the end caller calls the agent directly. */
  through?: Through | undefined;
  agent: AssetRecord;
  /** The only revision that may take the call. It has an instance, or may sleep (await-instance.ts). */
  revision: ServingRevision;
  /** From the traces of the run. */
  hidden: HiddenContent;
  /** Decides anew, as of now. */
  again: () => Promise<Admitted>;
}

/** An agent that the caller may call, whether it answers now or not. */
export interface Callable {
  user: EndCaller;
  agent: AssetRecord;
  /** Throws `agent_unavailable` while the container of an agent that never sleeps restarts. */
  admit: () => Admitted;
}

/** Throws the refusal, `not_deployed`, or `agent_unavailable` while the container of an agent that never sleeps restarts. */
export async function admit(agents: ServingAgents, caller: Caller, name: string): Promise<Admitted> {
  return (await findCallable(agents, caller, name)).admit();
}

/** Throws the refusal and `not_deployed`. */
export async function findCallable(agents: ServingAgents, caller: Caller, name: string): Promise<Callable> {
  const { caller: user, agent, serving } = await agents.find(signedIn(caller), name);
  if (agent === undefined) throw new Problem('not_found');
  requireCallable(user, agent, serving);
  // The moment of this admission would prove its state.
  const { moment: _, ...asking } = user;
  const again = async () => await admit(agents, asking, name);
  const { hidden } = serving;
  return { user, agent, admit: () => ({ user, agent, revision: answeringRevision(agent, serving), hidden, again }) };
}

/** Throws `agent_unavailable` while the container of an agent that never sleeps restarts. */
export function answeringRevision({ ref }: AssetRecord, { revision }: Serving): ServingRevision {
  if (revision !== undefined && (revision.instances.length > 0 || revision.sleeps)) return revision;
  const since = revision?.start?.rebuilding_since ?? null;
  const doing =
    since === null
      ? `The container of ${ref} is restarting.`
      : `The image of ${ref} is being rebuilt since ${new Date(since).toISOString()}.`;
  throw new Problem('agent_unavailable', { detail: doing });
}
