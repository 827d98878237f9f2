// The deployed agents, the ones that somebody must look at first, then the ones with the most calls.
import type { Attention } from '@gantry/contract/agents/attention.ts';
import type { AgentStatus } from '@gantry/contract/agents/deploy.ts';
import type { SignedInCaller } from '../../../governance/access/caller.ts';
import { countWhere, listFirst } from '../../../assets/registry/assets/list.ts';
import { unknownAfter } from '../keep/condition.ts';
import { isDeployed, worstFirst } from '../state-store.ts';
import { statusesOf, type StatusParts } from './status.ts';

// Candidates by their records, because the rest of their order is known only from whole statuses.
const candidates_per_agent = 4;

const gravity: readonly Attention['kind'][] = ['failed', 'crashing', 'budget', 'model', 'errors', 'unknown'];

export async function listWatched(
  parts: StatusParts,
  user: SignedInCaller,
  { team, limit }: { team?: string | undefined; limit: number },
): Promise<{ agents: AgentStatus[]; undeployed: number }> {
  const { db } = parts;
  const of = { kind: 'agent', team } as const;
  const order = worstFirst(unknownAfter(parts));
  const [candidates, undeployed] = await Promise.all([
    listFirst(db, user, { ...of, where: isDeployed(true), order, limit: limit * candidates_per_agent }),
    countWhere(db, user, { ...of, where: isDeployed(false) }),
  ]);
  const agents = await statusesOf(parts, user, candidates);
  return { agents: agents.toSorted(byGravity).slice(0, limit), undeployed };
}

function byGravity(one: AgentStatus, other: AgentStatus): number {
  return rankOf(one) - rankOf(other) || other.last_24h.calls - one.last_24h.calls || one.name.localeCompare(other.name);
}

function rankOf({ attention: [gravest] }: AgentStatus): number {
  return gravest === undefined ? gravity.length : gravity.indexOf(gravest.kind);
}
