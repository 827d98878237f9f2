// An agent with `deploy.scaling.min: 0` has no container while nobody calls it. A call that needs one inserts an instance without a
// place. The keeper starts it like a dead one, with the same waits between attempts, and the next holder of its lease goes on after a crash.
// Must never happen: two instances for many calls, or one for an agent that a user has stopped.
import type { Database } from '../../../ground/database/database.ts';
import { insertEvent } from '../event-store.ts';
import * as instanceStore from '../instance-store.ts';
import * as store from '../store.ts';

/** Plans an instance unless the revision has one, or serves no more. The caller was admitted. */
export async function wake(db: Database, revision_id: string): Promise<void> {
  await db.transaction(async (tx) => {
    // In this order with other wakes, with a switch and with a stop.
    const route = await store.holdRouteTo(tx, revision_id);
    if (route?.desired !== 'running' || (await instanceStore.countTaking(tx, revision_id)) > 0) return;
    const { agent_id, target } = route;
    const why = 'A call woke it.';
    await instanceStore.insertPlanned(tx, { revision_id, target, why });
    await insertEvent(tx, { agent_id, target, revision_id, kind: 'woke', detail: why });
    await store.notifyKeepers(tx);
  });
}
