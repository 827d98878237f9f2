import type { Feedback } from '@gantry/contract/agents/invoke.ts';
import { giveFeedback as give } from '../../models/traces/feedback.ts';
import type { Ingress } from './ingress.ts';
import { ownInvocation, type InvocationOf } from './invocations.ts';

/** Throws `run_gone` for a call of another caller, and for one that is no longer kept. */
export async function giveFeedback(
  ingress: Ingress,
  { is_good, reason, ...asked }: InvocationOf & Feedback,
): Promise<void> {
  const { row, agent, user } = await ownInvocation(ingress, asked);
  await give(ingress.db, { run_id: row.id, agent_id: agent.id, caller_id: user.id, is_good, reason });
}
