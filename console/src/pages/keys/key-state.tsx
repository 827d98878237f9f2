import type { GatewayKey } from '@gantry/contract/models/keys.ts';
import { State, type Meaning } from '../../parts/figures/state.tsx';

const meanings: Record<GatewayKey['state'], Meaning> = {
  active: 'good',
  waiting: 'waiting',
  inactive: 'none',
  paused: 'failed',
  expired: 'stopped',
  revoked: 'stopped',
};

export function KeyState({ state }: { state: GatewayKey['state'] }) {
  return <State meaning={meanings[state]}>{state}</State>;
}

/** `agents/greeter`, `team ml`, `ada@example.com`. */
export function holderOf({ scope, scope_name }: Pick<GatewayKey, 'scope' | 'scope_name'>): string {
  if (scope === 'org') return 'the organisation';
  if (scope === 'team') return `team ${scope_name}`;
  return scope === 'agent' ? `agents/${scope_name}` : scope_name;
}
