// One alert for an agent whose containers end again and again, and one when the agent is steady again. Notifications, mail and webhooks follow its
// entry in the audit log. Promise: one entry for a loop, from any number of processes. The row that remembers the loop commits with the entry.
import { authorize } from '../../../governance/access/authorize.ts';
import { systemCaller } from '../../../governance/access/caller.ts';
import { change } from '../../../governance/access/change.ts';
import type { Database } from '../../../ground/database/database.ts';
import { findAssetById } from '../../../assets/registry/find.ts';
import * as eventStore from '../event-store.ts';
import type { InstanceRow } from '../instance-store.ts';
import { secondsSinceSwitch } from '../state-store.ts';
import * as store from '../store.ts';

const window_minutes = 10;
/** Ends and failed starts of a revision within the window. */
const most_crashes = 3;
/** After a deploy or a rollback the first crash counts as a loop: the revision before it may still be warm. */
const fresh_seconds = 60;

/** Called after an end or a failed start. */
export async function alertCrashLoop(db: Database, { agent_id, target, revision_id }: InstanceRow): Promise<void> {
  const { crashes, own, last } = await eventStore.crashesOf(db, { revision_id, window_minutes });
  const route = await store.route(db, agent_id, target);
  const asset = await findAssetById(db, agent_id, null);
  if (route?.id !== revision_id || asset === undefined || crashes === 0) return;
  const earlier = await store.earlierRevision(db, route, undefined);
  const isFresh = earlier !== undefined && own > 0 && (await secondsSinceSwitch(db, revision_id)) < fresh_seconds;
  if (crashes < most_crashes && !isFresh) return;
  const times = crashes === 1 ? 'once' : `${crashes} times`;
  const within = isFresh ? `${fresh_seconds} s of its deploy` : `${window_minutes} minutes`;
  const what = `A container of ${route.version} ended or did not start ${times} within ${within}, at last with ${last}`;
  const on = route.is_default ? '' : ` --target ${target}`;
  const back = earlier && { earlier: earlier.version, rollback: `svc rollback ${asset.name}${on}` };
  const grant = authorize(systemCaller('system.alert'), 'system.alert', asset);
  await change(db, grant, 'agent.crashing', async (tx, note) => {
    if (!(await eventStore.beginCrashLoop(tx, { agent_id, target }))) return;
    await eventStore.insertEvent(tx, { agent_id, target, revision_id, kind: 'crashing', detail: `${what}.` });
    note({ agent_id, target, revision: revision_id, version: route.version, crashes, what, ...back });
  });
}

/** An agent is steady when no container of it ended for the time of the window. */
export async function endCrashLoops(db: Database): Promise<void> {
  for (const { agent_id, target, since, serves } of await eventStore.endedCrashLoops(db, window_minutes)) {
    const asset = await findAssetById(db, agent_id, null);
    if (asset === undefined) continue;
    const grant = authorize(systemCaller('system.alert'), 'system.alert', asset);
    await change(db, grant, 'agent.steady', async (tx, note) => {
      // A stopped agent is not steady.
      if (!(await eventStore.endCrashLoop(tx, { agent_id, target })) || !serves) return;
      const detail = `No container ended for ${window_minutes} minutes.`;
      await eventStore.insertEvent(tx, { agent_id, target, kind: 'steady', detail });
      note({ agent_id, target, since });
    });
  }
}
