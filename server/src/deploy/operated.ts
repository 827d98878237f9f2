// The common part of stop, start and restart: the agent, its route's revision, and the permission to operate it.
import { Problem } from '@gantry/contract/problems.ts';
import { authorize, type Grant } from '../access/authorize.ts';
import type { Caller } from '../access/caller.ts';
import { signedIn } from '../principals/signed-in.ts';
import type { AssetRecord } from '../registry/find.ts';
import { loadAsset } from '../registry/load-asset.ts';
import { loadAgentConfig } from '../registry/versions/load-version-content.ts';
import { activeRun } from '../runs/run.ts';
import { gatedSubject } from './decide-deploy.ts';
import { deployRunning } from './deploy.ts';
import { deployMutex } from './deploy-run.ts';
import type { DeployParts, TargetName } from './parts.ts';
import * as store from './store.ts';

export interface Operated {
  asset: AssetRecord;
  route: store.RouteRow;
  grant: Grant<'agent.operate'>;
}

/** Throws the refusal, `not_deployed` without a route, or `deploy_running` during a deploy. */
export async function findOperated({ db }: Pick<DeployParts, 'db'>, caller: Caller, name: string): Promise<Operated> {
  const user = signedIn(caller);
  const asset = await loadAsset(db, { kind: 'agent', name }, caller);
  authorize(user, 'asset.read', asset);
  const route = await store.route(db, asset.id, 'local');
  if (route === undefined) throw new Problem('not_deployed', { detail: `${asset.ref} is not deployed.` });
  const config = await loadAgentConfig(db, route.version_id);
  const grant = authorize(user, 'agent.operate', await gatedSubject(db, asset, { ...route, config }));
  await refuseWhileDeploying({ db }, asset);
  return { asset, route, grant };
}

export async function refuseWhileDeploying(
  { db }: Pick<DeployParts, 'db'>,
  asset: AssetRecord,
  target: TargetName = 'local',
): Promise<void> {
  const what = { agent_id: asset.id, agent: asset.name, target } as const;
  if ((await activeRun(db, 'deploy', deployMutex(what))) !== undefined) throw await deployRunning(db, what);
}

export function noteOf({ version, digest, target, id }: store.RouteRow) {
  return { revision: id, version, digest, target };
}
