import type { AgentStatus } from '@gantry/contract/deploy.ts';
import type { Caller } from '../access/caller.ts';
import { holdAgent } from './agent-lock.ts';
import { findOperated } from './operated.ts';
import type { DeployParts } from './parts.ts';
import { setDesired } from './set-desired.ts';
import { agentStatus } from './status.ts';
import * as store from './store.ts';
import { stopGraceSeconds } from './targets/stop-grace.ts';

/** A stopped agent stays registered. */
export async function stop(
  parts: DeployParts,
  caller: Caller,
  name: string,
  signal: AbortSignal,
): Promise<AgentStatus> {
  const { db } = parts;
  const operated = await findOperated(parts, caller, name);
  const { asset } = operated;
  await holdAgent(asset.id, async () => {
    await setDesired(db, operated, 'stopped');
    for (const { revision_id, place } of await store.instancesOf(db, [asset.id])) {
      await parts.targets[place.target].stop(place, { grace_seconds: stopGraceSeconds }, signal);
      await store.setStopped(db, revision_id);
    }
  });
  return await agentStatus(parts, asset, signal);
}
