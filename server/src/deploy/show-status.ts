import type { AgentStatus } from '@gantry/contract/deploy.ts';
import { authorize } from '../access/authorize.ts';
import type { Caller } from '../access/caller.ts';
import { agentCost } from '../ledger/agent-cost.ts';
import { signedIn } from '../principals/signed-in.ts';
import { loadAsset } from '../registry/load-asset.ts';
import { canUseAgent } from './can-use-agent.ts';
import type { DeployParts } from './parts.ts';
import { agentStatus } from './status.ts';

export async function showStatus(
  parts: DeployParts,
  caller: Caller,
  name: string,
  signal: AbortSignal,
): Promise<AgentStatus> {
  const asset = await loadAsset(parts.db, { kind: 'agent', name }, caller);
  const user = signedIn(caller);
  authorize(user, 'deployment.read', asset);
  const status = await agentStatus(parts, asset, signal);
  const [can, cost] = await Promise.all([
    canUseAgent(parts, user, asset, status.latest_version),
    agentCost(parts.db, user, asset),
  ]);
  return { ...status, can, cost };
}
