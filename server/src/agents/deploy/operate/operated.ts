// The common part of stop, start and restart: the agent, its route's revision, and the permission to operate it.
import { Problem } from '@gantry/contract/problems.ts';
import { authorize, type Grant } from '../../../governance/access/authorize.ts';
import type { Caller } from '../../../governance/access/caller.ts';
import { signedIn } from '../../../people/principals/signed-in.ts';
import type { AssetRecord } from '../../../assets/registry/find.ts';
import { loadAsset } from '../../../assets/registry/load-asset.ts';
import { loadAgentConfig } from '../../../assets/registry/versions/load-version-content.ts';
import { requireSecrets } from '../../../assets/secrets/delivery.ts';
import type { Reader } from '../../../ground/database/database.ts';
import { activeRun } from '../../../ground/runs/run.ts';
import { gatedSubject } from '../decide-deploy.ts';
import { deployRunning } from '../deploy.ts';
import { deployMutex } from '../deploy-run.ts';
import type { DeployParts, TargetName } from '../parts.ts';
import * as store from '../store.ts';

export interface Named {
  name: string;
  /** Undefined: the default one. */
  target?: string | undefined;
}

export interface Operated {
  asset: AssetRecord;
  route: store.RouteRow;
  grant: Grant<'agent.operate'>;
}

/** As findOperable. Throws `deploy_running` while another run changes the agent. */
export async function findOperated({ db }: Pick<DeployParts, 'db'>, caller: Caller, on: Named): Promise<Operated> {
  const operated = await findOperable({ db }, caller, on);
  await refuseWhileDeploying({ db }, operated.asset, operated.route.target);
  return operated;
}

/** Throws the refusal, or `not_deployed` without a route. */
export async function findOperable(
  { db }: Pick<DeployParts, 'db'>,
  caller: Caller,
  { name, target }: Named,
): Promise<Operated> {
  const user = signedIn(caller);
  const asset = await loadAsset(db, { kind: 'agent', name }, caller);
  authorize(user, 'asset.read', asset);
  const route = await findRoute(db, asset, target);
  const config = await loadAgentConfig(db, route.version_id);
  const grant = authorize(user, 'agent.operate', await gatedSubject(db, asset, { ...route, config }));
  return { asset, route, grant };
}

/** The route on the target, by default the default one. Throws `not_deployed`. */
export async function findRoute(db: Reader, { id, ref }: AssetRecord, target?: string): Promise<store.RouteRow> {
  const route = target === undefined ? await store.defaultRoute(db, id) : await store.route(db, id, target);
  if (route !== undefined) return route;
  const where = target === undefined ? '' : ` on ${target}`;
  throw new Problem('not_deployed', { detail: `${ref} is not deployed${where}.` });
}

export async function requireSecretsOf(db: Reader, { asset, route }: Operated): Promise<void> {
  await requireSecrets(db, { agent_id: asset.id, config: await loadAgentConfig(db, route.version_id) });
}

export async function refuseWhileDeploying(
  { db }: Pick<DeployParts, 'db'>,
  asset: AssetRecord,
  target: TargetName,
): Promise<void> {
  const holder = await activeRun(db, deployMutex({ agent_id: asset.id, target }));
  if (holder !== undefined) throw deployRunning({ agent: asset.name }, holder);
}

export function noteOf({ version, digest, target, id }: store.RouteRow) {
  return { revision: id, version, digest, target };
}
