import type { AgentStatus } from '@gantry/contract/agents/deploy.ts';
import { authorize } from '../../../governance/access/authorize.ts';
import type { Caller } from '../../../governance/access/caller.ts';
import { agentCost } from '../../../models/ledger/agent-cost.ts';
import { signedIn } from '../../../people/principals/signed-in.ts';
import type { Reader } from '../../../ground/database/database.ts';
import { presentReach } from '../../../assets/registry/difference/present-reach.ts';
import { findVersion, type AssetRecord } from '../../../assets/registry/find.ts';
import { loadAsset } from '../../../assets/registry/load-asset.ts';
import { canUseAgent } from '../serving/can-use-agent.ts';
import type { DeployParts } from '../parts.ts';
import { modelsGone } from '../models-gone.ts';
import { agentStatus } from './status.ts';
import { upcomingVersion } from './upcoming.ts';

export async function showStatus(
  parts: DeployParts,
  caller: Caller,
  name: string,
  signal: AbortSignal,
): Promise<AgentStatus> {
  const asset = await loadAsset(parts.db, { kind: 'agent', name }, caller);
  const user = signedIn(caller);
  authorize(user, 'deployment.read', asset);
  const status = await agentStatus(parts, asset, signal, await agentCost(parts.db, user, asset));
  const [can, reach, gone, upcoming] = await Promise.all([
    canUseAgent(parts, user, asset, status.latest_version),
    reachOfAgent(parts.db, asset, status),
    modelsGone(parts.db, asset),
    upcomingVersion(parts.db, user, asset),
  ]);
  // With the way out, which lists leave away.
  const models = gone.map((detail) => ({ kind: 'model', detail }) as const);
  const [errors, graver] = [true, false].map((isErrors) =>
    status.attention.filter(({ kind }) => kind !== 'model' && (kind === 'errors') === isErrors),
  );
  return { ...status, can, reach, upcoming, attention: [...(graver ?? []), ...models, ...(errors ?? [])] };
}

/** A container keeps what it was made with. Without one, the present setting decides. */
async function reachOfAgent(
  db: Reader,
  asset: AssetRecord,
  { digest, egress, instances }: AgentStatus,
): Promise<AgentStatus['reach']> {
  const shown = digest ?? (await findVersion(db, asset.id, 'latest'))?.digest;
  if (shown === undefined) return null;
  return await presentReach(db, asset, { digest: shown, made: instances.length === 0 ? undefined : egress });
}
