// The end of a container that the service did not ask for, on the agent's timeline. Promise: once for each end, also across a crash, because
// the address for calls goes in the same transaction.
import type { EndReason } from '@gantry/contract/agents/agent-events.ts';
import type { Database } from '../../../ground/database/database.ts';
import { insertEvent } from '../event-store.ts';
import * as instanceStore from '../instance-store.ts';
import type { Instance } from '../targets/target.ts';
import { describeExit } from './restart-container.ts';

export interface End {
  reason: EndReason;
  detail: string;
}

/** The end of a replica of a platform. */
export const replaced: End = { reason: 'exited', detail: 'The replica ended. Its platform makes another one.' };

/** False when it is noted already, or took no calls. */
export async function noteEnd(
  db: Database,
  { id, n, agent_id, target, revision_id }: instanceStore.InstanceRow,
  end: End,
): Promise<boolean> {
  return await db.transaction(async (tx) => {
    if (!(await instanceStore.setEnded(tx, id))) return false;
    await insertEvent(tx, { agent_id, target, revision_id, instance: { id, n }, kind: 'ended', ...end });
    return true;
  });
}

/** The end of a container that is not where its calls go. */
export function endOf(seen: Instance): End {
  const detail = describeExit(seen) ?? 'The container was restarted from outside the service.';
  if (seen.state === 'created') return replaced;
  if (seen.state === 'gone') return { reason: 'removed', detail };
  return { reason: seen.out_of_memory ? 'out_of_memory' : 'exited', detail };
}
