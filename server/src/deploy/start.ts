import type { AgentStatus } from '@gantry/contract/deploy.ts';
import type { Caller } from '../access/caller.ts';
import { change } from '../access/change.ts';
import { setServing } from '../registry/version.ts';
import { holdAgent } from './agent-lock.ts';
import { findOperated, noteOf } from './operated.ts';
import type { DeployParts } from './parts.ts';
import { raiseAgain } from './raise-again.ts';
import { agentStatus } from './status.ts';
import * as store from './store.ts';

/** Waits until the agent is ready. One that does not start stays meant to run, and the keeper tries again. */
export async function start(
  parts: DeployParts,
  caller: Caller,
  name: string,
  signal: AbortSignal,
): Promise<AgentStatus> {
  const { db } = parts;
  const { asset, route, grant } = await findOperated(parts, caller, name);
  await holdAgent(asset.id, async () => {
    await change(db, grant, 'agent.started', async (tx, note) => {
      const held = await store.route(tx, asset.id, route.target, { lock: true });
      if (held?.desired !== 'stopped') return;
      await store.setDesired(tx, held.route_id, 'running');
      await setServing(tx, asset.id, held.version_id);
      note(noteOf(held));
    });
    const row = await store.instance(db, route.id);
    if (row === undefined) throw new Error(`revision ${route.id} has no instance`);
    const seen = await parts.targets[row.place.target].observe(row.place, signal);
    if (seen.state !== 'running' || seen.url !== row.url) await raiseAgain(parts, row, seen, signal);
  });
  return await agentStatus(parts, asset, signal);
}
