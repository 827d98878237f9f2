import type { AgentStatus } from '@gantry/contract/deploy.ts';
import { Problem } from '@gantry/contract/problems.ts';
import type { Caller } from '../access/caller.ts';
import { change } from '../access/change.ts';
import type { Reader } from '../database/database.ts';
import type { AssetRecord } from '../registry/find.ts';
import { loadAgentConfig } from '../registry/versions/load-version-content.ts';
import { requireSecrets } from '../secrets/delivery.ts';
import { holdAgent } from './agent-lock.ts';
import { findOperated, noteOf, refuseWhileDeploying, type Operated } from './operated.ts';
import type { DeployParts } from './parts.ts';
import { restartContainer } from './restart-container.ts';
import { agentStatus } from './status.ts';
import * as store from './store.ts';
import { stopGraceSeconds } from './targets/stop-grace.ts';

/** Restarts in place. Calls are refused until the agent is ready again. */
export async function restart(
  parts: DeployParts,
  caller: Caller,
  name: string,
  signal: AbortSignal,
): Promise<AgentStatus> {
  const { db } = parts;
  const { asset, route, grant } = await findOperated(parts, caller, name);
  refuseStopped(asset, route);
  await holdAgent(asset.id, async () => {
    // A deploy may have begun or switched while this operation waited for the agent.
    await refuseWhileDeploying(parts, asset);
    const held = await store.route(db, asset.id, route.target);
    if (held === undefined) throw new Problem('not_deployed', { detail: `${asset.ref} is not deployed.` });
    // Before the stop, so that an agent without its secrets keeps running.
    await requireSecretsOf(db, asset, held);
    await change(db, grant, 'agent.restarted', async (_, note) => note(noteOf(held)));
    const row = await store.instance(db, held.id);
    if (row === undefined) throw new Error(`revision ${held.id} has no instance`);
    const target = parts.targets[row.place.target];
    await target.stop(row.place, { grace_seconds: stopGraceSeconds }, signal);
    await restartContainer(parts, row, await target.observe(row.place, signal), signal, 'A user restarted it.');
  });
  return await agentStatus(parts, asset, signal);
}

/** The checks of a restart after those of every operation. */
export async function requireRestart(db: Reader, { asset, route }: Operated): Promise<void> {
  refuseStopped(asset, route);
  await requireSecretsOf(db, asset, route);
}

function refuseStopped({ ref, name }: AssetRecord, { desired }: store.RouteRow): void {
  if (desired === 'stopped')
    throw new Problem('not_deployed', { detail: `${ref} is stopped.`, hint: `Start it: svc start ${name}` });
}

async function requireSecretsOf(db: Reader, { id }: AssetRecord, { version_id }: store.RouteRow): Promise<void> {
  await requireSecrets(db, { agent_id: id, config: await loadAgentConfig(db, version_id) });
}
