// A call of an agent to one of its subagents.
import { Problem } from '@gantry/contract/problems.ts';
import type { AgentCaller } from '../../governance/access/caller.ts';
import type { Serving } from '../deploy/serving/serving.ts';
import { subagentsOf } from '../deploy/serving/subagents.ts';
import { admitDelegated, type Delegated, type Pin } from '../delegated-calls/admit-delegated.ts';
import { delegationOfAgent } from '../delegated-calls/delegation.ts';
import { answeringRevision, type Admitted } from './admit.ts';
import type { Ingress } from './ingress.ts';
import * as store from './store.ts';

type Parts = Pick<Ingress, 'db' | 'agents'>;

/** Throws the refusal, `not_deployed`, `agent_unavailable`, `call_loop`, `too_many_calls` or `run_refused`. */
export async function admitSubagent(parts: Parts, caller: AgentCaller, name: string): Promise<Admitted> {
  const { user, through, asset: agent, serving } = await findSubagent(parts, caller, name);
  const revision = answeringRevision(agent, serving);
  const again = async () => await admitSubagent(parts, caller, name);
  return { user, through, agent, revision, hidden: serving.hidden, again };
}

/** A subagent that the caller may call now; it may have no container. */
export async function findSubagent(
  { db, agents }: Parts,
  caller: AgentCaller,
  name: string,
): Promise<Delegated<Serving>> {
  const subagent = (await subagentsOf(db, caller.version_id)).find((one) => one.name === name);
  if (subagent === undefined)
    throw new Problem('not_found', {
      detail: `agents/${name} is not among the subagents of ${caller.label}.`,
      hint: 'Name it under `subagents` of its agent.yaml, and deploy that.',
    });
  const isOpen = async (run: { id: string; revision_id: string }) => await store.isOpen(db, run);
  const delegation = await delegationOfAgent({ db, isOpen }, caller);
  const pin: Pin = { kind: 'agent', ...subagent };
  return await admitDelegated(delegation, pin, async (by, asset_id) => {
    const { agent, serving } = await agents.member(by, asset_id);
    return { asset: agent, serving };
  });
}
