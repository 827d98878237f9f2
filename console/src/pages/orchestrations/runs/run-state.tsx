import type { ListedOrchestrationRun } from '@gantry/contract/agents/orchestrations.ts';
import { State, type Meaning } from '../../../parts/figures/state.tsx';

type Told = ListedOrchestrationRun['state'] | 'partial';

const meanings: Record<Told, Meaning> = {
  queued: 'waiting',
  running: 'waiting',
  waiting: 'waiting',
  cancelling: 'waiting',
  done: 'good',
  partial: 'waiting',
  failed: 'failed',
  cancelled: 'stopped',
  needs_attention: 'failed',
};

export function RunState({ state, reason }: { state: Told; reason?: string | null }) {
  return <State meaning={meanings[state]}>{reason ?? state}</State>;
}

/** A run with an answer can be without a part of it. */
export function toldState({ state, status }: Pick<ListedOrchestrationRun, 'state' | 'status'>): Told {
  return status === 'partial' ? 'partial' : state;
}
