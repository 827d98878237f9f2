import type { Webhook } from '@gantry/contract/telling/webhooks.ts';
import type { Meaning } from '../../parts/figures/state.tsx';

export function stateOfWebhook({ last_problem, dead }: Webhook): { meaning: Meaning; word: string } {
  if (last_problem !== null) return { meaning: 'failed', word: 'not arriving' };
  return dead > 0 ? { meaning: 'waiting', word: 'some failed' } : { meaning: 'good', word: 'ready' };
}
