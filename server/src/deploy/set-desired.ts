import { change } from '../access/change.ts';
import type { Database } from '../database/database.ts';
import { setServing } from '../registry/versions/version.ts';
import { noteOf, type Operated } from './operated.ts';
import * as store from './store.ts';

/** Sets the desired state of the agent. It is stored before the engine is called, so the keeper repairs a failure in between. */
export async function setDesired(
  db: Database,
  { asset, route, grant }: Operated,
  desired: 'running' | 'stopped',
): Promise<void> {
  await change(db, grant, desired === 'running' ? 'agent.started' : 'agent.stopped', async (tx, note) => {
    const held = await store.route(tx, asset.id, route.target, { lock: true });
    if (held === undefined || held.desired === desired) return;
    await store.setDesired(tx, held.route_id, desired);
    await setServing(tx, asset.id, desired === 'running' ? held.version_id : null);
    note(noteOf(held));
  });
}
