import type { AgentStatus } from '@gantry/contract/deploy.ts';
import { State, type Meaning } from '../../parts/state.tsx';

const meanings: Record<AgentStatus['state'], Meaning> = {
  serving: 'good',
  starting: 'waiting',
  asleep: 'stopped',
  stopped: 'stopped',
  failed: 'failed',
  unknown: 'waiting',
  not_deployed: 'none',
};

export function AgentState({ state }: { state: AgentStatus['state'] }) {
  return <State meaning={meanings[state]}>{state}</State>;
}
