// A container that does not answer, or does not know the run yet, cannot take a cancel. So the cancel is stored, and the ingress that follows the
// call sends it again until the container takes it or the call ends.
import { Problem } from '@gantry/contract/problems.ts';
import { startLoop, type Loop } from '../../../ground/queue/loop.ts';
import { findAssetById } from '../../../assets/registry/find.ts';
import type { Ingress } from '../ingress.ts';
import { cancelRun } from '../invocations.ts';
import { retryWhileAway } from './retry-while-away.ts';
import * as store from '../store.ts';

type Cancelled = Pick<store.Invocation, 'id' | 'agent_id' | 'instance_id'>;

const pause_ms = 2000;

/** False when the container has not taken it. Then the cancel is repeated. */
export async function cancelUntilTaken(ingress: Ingress, call: Cancelled): Promise<boolean> {
  // Before the sending, so that a kill -9 loses no cancel.
  await store.setCancelPending(ingress.db, call.id, true);
  const isTaken = await send(ingress, call);
  if (isTaken) await store.setCancelPending(ingress.db, call.id, false);
  return isTaken;
}

/** All open calls of a run. The ingresses that follow them send the cancel. */
export async function cancelCallsOf({ db }: Pick<Ingress, 'db'>, root_run_id: string): Promise<void> {
  await store.setCancelsPending(db, root_run_id);
}

/** Repeats the pending cancels of the calls that this ingress follows. */
export function repeatCancels(ingress: Ingress, onError: (error: unknown) => void): Loop {
  const { db, owner, stopping } = ingress;
  const repeat = async () => {
    const calls = await store.pendingCancels(db, owner);
    await Promise.all(
      calls.map(async (call) => {
        if (await send(ingress, call)) await store.setCancelPending(db, call.id, false);
      }),
    );
  };
  return startLoop(async () => await retryWhileAway(stopping, repeat), { pause_ms, onError });
}

async function send(ingress: Ingress, call: Cancelled): Promise<boolean> {
  const agent = await findAssetById(ingress.db, call.agent_id, null);
  if (agent === undefined) return true;
  try {
    return await cancelRun(ingress, agent, call);
  } catch (error) {
    if (error instanceof Problem) return false;
    throw error;
  }
}
