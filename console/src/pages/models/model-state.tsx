import {
  stateOfModel,
  stateOfUpstream,
  type ModelState,
  type UpstreamState,
} from '@gantry/contract/models/model-state.ts';
import type { Model, ModelUpstream } from '@gantry/contract/models/models.ts';
import { State, type Meaning } from '../../parts/figures/state.tsx';
import { useNow } from '../../parts/figures/when.tsx';

const meanings: Record<ModelState | UpstreamState, Meaning> = {
  ready: 'good',
  untested: 'none',
  no_address: 'failed',
  not_callable: 'failed',
  paused: 'failed',
  partly_paused: 'waiting',
  no_price: 'waiting',
  failing: 'waiting',
  not_called_yet: 'none',
};
const every_ms = 10_000;

export function ShownModelState({ model }: { model: Model }) {
  const { state } = stateOfModel(model, useNow(every_ms));
  return <State meaning={meanings[state]}>{state}</State>;
}

export function ShownUpstreamState({ upstream }: { upstream: ModelUpstream }) {
  const { state } = stateOfUpstream(upstream, useNow(every_ms));
  return <State meaning={meanings[state]}>{state}</State>;
}
