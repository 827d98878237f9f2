import type { AgentStatus } from '@gantry/contract/deploy.ts';
import type { Caller } from '../access/caller.ts';
import { change } from '../access/change.ts';
import { setServing } from '../registry/version.ts';
import { holdAgent } from './agent-lock.ts';
import { findOperated, noteOf } from './operated.ts';
import type { DeployParts } from './parts.ts';
import { agentStatus } from './status.ts';
import * as store from './store.ts';
import { stopGraceSeconds } from './targets/stop-grace.ts';

/** First on the record, then in the engine: what fails in between, the keeper makes good. It stays registered. */
export async function stop(
  parts: DeployParts,
  caller: Caller,
  name: string,
  signal: AbortSignal,
): Promise<AgentStatus> {
  const { db } = parts;
  const { asset, route, grant } = await findOperated(parts, caller, name);
  await holdAgent(asset.id, async () => {
    await change(db, grant, 'agent.stopped', async (tx, note) => {
      const held = await store.route(tx, asset.id, route.target, { lock: true });
      if (held?.desired !== 'running') return;
      await store.setDesired(tx, held.route_id, 'stopped');
      await setServing(tx, asset.id, null);
      note(noteOf(held));
    });
    for (const { revision_id, place } of await store.instancesOf(db, asset.id)) {
      await parts.targets[place.target].stop(place, { grace_seconds: stopGraceSeconds }, signal);
      await store.setStopped(db, revision_id);
    }
  });
  return await agentStatus(parts, asset, signal);
}
