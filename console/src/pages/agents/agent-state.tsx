import type { Attention } from '@gantry/contract/agents/attention.ts';
import type { AgentStatus } from '@gantry/contract/agents/deploy.ts';
import { State, type Meaning } from '../../parts/figures/state.tsx';

const meanings: Record<AgentStatus['state'], Meaning> = {
  serving: 'good',
  starting: 'waiting',
  asleep: 'stopped',
  stopped: 'stopped',
  failed: 'failed',
  unknown: 'waiting',
  not_deployed: 'none',
};

const troubles: Record<Attention['kind'], readonly [Meaning, string]> = {
  failed: ['failed', 'failed'],
  unknown: ['waiting', 'unknown'],
  crashing: ['failed', 'crashing'],
  budget: ['failed', 'over budget'],
  model: ['failed', 'model missing'],
  errors: ['failed', 'failing'],
};

/** Green is for an agent of use to its callers: a container that answers is not enough. */
export function AgentState({
  state,
  attention = [],
}: {
  state: AgentStatus['state'];
  attention?: readonly Attention[];
}) {
  const [gravest] = attention;
  const [meaning, words] = gravest === undefined ? [meanings[state], state] : troubles[gravest.kind];
  return <State meaning={meaning}>{words}</State>;
}

/** The gravest trouble, else what the last check said. */
export const reasonOf = ({ attention: [gravest], detail }: AgentStatus): string => gravest?.detail ?? detail;
