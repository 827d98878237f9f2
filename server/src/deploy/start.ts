import type { AgentStatus } from '@gantry/contract/deploy.ts';
import type { Caller } from '../access/caller.ts';
import { holdAgent } from './agent-lock.ts';
import { findOperated } from './operated.ts';
import type { DeployParts } from './parts.ts';
import { restartContainer } from './restart-container.ts';
import { setDesired } from './set-desired.ts';
import { agentStatus } from './status.ts';
import * as store from './store.ts';

/** Waits until the agent is ready. After a failed start the desired state stays `running`, and the keeper tries again. */
export async function start(
  parts: DeployParts,
  caller: Caller,
  name: string,
  signal: AbortSignal,
): Promise<AgentStatus> {
  const { db } = parts;
  const operated = await findOperated(parts, caller, name);
  const { asset, route } = operated;
  await holdAgent(asset.id, async () => {
    await setDesired(db, operated, 'running');
    const row = await store.instance(db, route.id);
    if (row === undefined) throw new Error(`revision ${route.id} has no instance`);
    const seen = await parts.targets[row.place.target].observe(row.place, signal);
    if (seen.state !== 'running' || seen.url !== row.url) await restartContainer(parts, row, seen, signal);
  });
  return await agentStatus(parts, asset, signal);
}
