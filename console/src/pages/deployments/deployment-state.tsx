import type { Deployment } from '@gantry/contract/agents/deploy.ts';
import { State, type Meaning } from '../../parts/figures/state.tsx';

const meanings: Record<Deployment['state'], Meaning> = {
  queued: 'waiting',
  running: 'waiting',
  waiting: 'waiting',
  cancelling: 'waiting',
  done: 'good',
  failed: 'failed',
  cancelled: 'stopped',
  needs_attention: 'failed',
};

export function DeploymentState({ state }: { state: Deployment['state'] }) {
  return <State meaning={meanings[state]}>{state}</State>;
}
