// A call of an agent to one of its subagents. Each decides anew: the run is open, `use` of its end caller on the first asset of the chain,
// `use` of the calling agent on the subagent, and allowed_callers against the calling agent's team. The end caller needs no `use` on the subagent.
import { Problem } from '@gantry/contract/problems.ts';
import { authorize } from '../access/authorize.ts';
import type { AgentCaller, EndCaller } from '../access/caller.ts';
import type { CallingAsset } from '../access/decide.ts';
import type { Reader } from '../database/database.ts';
import { requireCallableBy } from '../deploy/require-callable.ts';
import type { Serving } from '../deploy/serving.ts';
import { subagentsOf, type Subagent } from '../deploy/subagents.ts';
import type { AssetRecord } from '../registry/find.ts';
import type { Link } from '../run-token.ts';
import { answeringRevision, type Admitted, type Through } from './admit.ts';
import { runEnded } from './agent-caller.ts';
import { loadEndCaller } from './end-caller.ts';
import type { Ingress } from './ingress.ts';
import * as store from './store.ts';

type Parts = Pick<Ingress, 'db' | 'agents'>;

/** The longest chain of assets before an agent. */
const most_links = 5;

/** Throws the refusal, `not_deployed`, `agent_unavailable`, `call_loop`, `too_many_calls` or `run_refused`. */
export async function admitSubagent(parts: Parts, caller: AgentCaller, name: string): Promise<Admitted> {
  const { user, through, agent, serving } = await findSubagent(parts, caller, name);
  const revision = answeringRevision(agent, serving);
  const again = async () => await admitSubagent(parts, caller, name);
  return { user, through, agent, revision, hidden: serving.hidden, again };
}

interface FoundSubagent {
  user: EndCaller;
  through: Through;
  agent: AssetRecord;
  serving: Serving;
}

/** A subagent that the caller may call now; it may have no container. */
export async function findSubagent({ db, agents }: Parts, caller: AgentCaller, name: string): Promise<FoundSubagent> {
  const subagent = (await subagentsOf(db, caller.version_id)).find((one) => one.name === name);
  if (subagent === undefined)
    throw new Problem('not_found', {
      detail: `agents/${name} is not among the subagents of ${caller.label}.`,
      hint: 'Name it under `subagents` of its agent.yaml, and deploy that.',
    });
  const { run } = caller;
  const self: Link = { id: caller.id, ref: caller.label };
  const chain = [self, ...(run?.chain ?? [])];
  refuseChain(chain, subagent);
  const user = run === undefined ? caller : await endCaller(db, caller, { run, first: chain.at(-1) ?? self });
  const by: CallingAsset = { kind: 'agent', id: caller.id, ref: caller.label, name: caller.name, team: caller.team };
  const { agent, serving } = await agents.member(by, subagent.asset_id);
  if (agent === undefined)
    throw new Problem('not_found', {
      detail: `${subagent.ref} was deleted; a new agent of this name is another one.`,
      hint: `Push and deploy ${caller.label} again, so that it names the new agent.`,
    });
  requireCallableBy(by, agent, serving);
  refuseOtherVersion(subagent, serving);
  return { user, through: { chain, root_run_id: run?.root_run_id, trace_id: run?.trace_id }, agent, serving };
}

function refuseChain(chain: readonly Link[], { ref, asset_id }: Subagent): void {
  const path = chain.map((link) => link.ref).toReversed();
  if (chain.some(({ id }) => id === asset_id))
    throw new Problem('call_loop', { detail: `${ref} is in this chain of calls already: ${path.join(' → ')}.` });
  if (chain.length > most_links)
    throw new Problem('too_many_calls', {
      detail: `A chain has at most ${most_links} calls of agents by others: ${path.join(' → ')}.`,
    });
}

/** Of an open run, as they are now. */
async function endCaller(
  db: Reader,
  { revision_id, origin }: AgentCaller,
  { run, first }: { run: NonNullable<AgentCaller['run']>; first: Link },
): Promise<EndCaller> {
  if (!(await store.isOpen(db, { id: run.run_id, revision_id }))) throw runEnded();
  // The first agent has called for itself.
  if (run.caller_id === first.id) return { kind: 'agent', id: first.id, label: first.ref, memberships: [] };
  const account = 'The account that the run works for';
  const { user, asset } = await loadEndCaller(db, { caller_id: run.caller_id, account, first, origin });
  authorize(user, 'asset.invoke', asset);
  return user;
}

function refuseOtherVersion({ ref, version }: Subagent, serving: Serving): void {
  if (version === undefined || version === serving.version) return;
  throw new Problem('member_changed', {
    detail: `The subagent is ${ref}, and version ${serving.version} serves now.`,
    hint: `Deploy ${ref}, or name another version under \`subagents\`.`,
  });
}
