import type { Feedback } from '@gantry/contract/agents/invoke.ts';
import { Problem } from '@gantry/contract/problems.ts';
import { authorize } from '../../governance/access/authorize.ts';
import { giveFeedback as give, isTracedRunOf } from '../../models/traces/feedback.ts';
import { signedIn } from '../../people/principals/signed-in.ts';
import type { Ingress } from './ingress.ts';
import type { InvocationOf } from './invocations.ts';
import * as store from './store.ts';

/** Throws `run_gone` for a run of another caller, and for one of which nothing is kept any more. */
export async function giveFeedback(
  { db, agents }: Ingress,
  { caller, name, run_id, is_good, reason }: InvocationOf & Feedback,
): Promise<void> {
  const { caller: user, agent } = await agents.find(signedIn(caller), name);
  if (agent === undefined) throw new Problem('not_found');
  authorize(user, 'asset.invoke', agent);
  const of = { agent_id: agent.id, caller_id: user.id };
  // A call that was answered at once has no row any more.
  const isOwn =
    (await store.find(db, { id: run_id, ...of })) !== undefined || (await isTracedRunOf(db, { run_id, ...of }));
  if (!isOwn) throw new Problem('run_gone');
  await give(db, { run_id, ...of, is_good, reason });
}
