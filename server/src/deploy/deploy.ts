// Starts a deploy: decides, refuses early, and stores the run. The pipeline does the slow work.
import type { Deployment } from '@gantry/contract/deploy.ts';
import { Problem } from '@gantry/contract/problems.ts';
import { authorize, type Grant } from '../access/authorize.ts';
import type { Caller, SignedInCaller } from '../access/caller.ts';
import { change } from '../access/change.ts';
import { errorCode, unique_violation, type Database } from '../database/database.ts';
import { settings } from '../principals/find.ts';
import { signedIn } from '../principals/signed-in.ts';
import { checkReferences } from '../registry/references/pin-references.ts';
import { requireSecrets } from '../secrets/delivery.ts';
import { activeRun, enqueue } from '../runs/run.ts';
import { deploySubject } from './decide-deploy.ts';
import { deployMutex, type DeployInput } from './deploy-run.ts';
import { refuseEgress } from './egress.ts';
import { endpointOf } from './endpoint.ts';
import { showDeploy } from './find-deploy.ts';
import { findVersionToDeploy, type Wanted } from './find-version-to-deploy.ts';
import type { DeployParts, TargetName } from './parts.ts';
import * as store from './store.ts';
import { refuseWhatIsMissing } from './validate.ts';

export interface DeployWish {
  ref: string;
  target?: string | undefined;
  /** Deploys the running version again. */
  force: boolean;
}

export async function deploy(parts: DeployParts, caller: Caller, wish: DeployWish): Promise<Deployment> {
  const { db } = parts;
  const user = signedIn(caller);
  const wanted = await findVersionToDeploy(db, user, wish);
  const { asset, version, target } = wanted;
  const { grant, approval_id } = await requireDeployable(parts, user, wanted);
  if (!wish.force) await refuseDeployed(parts, wanted);
  const input: DeployInput = {
    agent_id: asset.id,
    agent: asset.name,
    version_id: version.id,
    version: version.version,
    digest: version.digest,
    target: target as TargetName, // refuseWhatIsMissing accepts no other
    origin: { request_id: user.origin.request_id, ip: user.origin.ip },
  };
  const actor = { user_id: user.id, name: user.label };
  const run = { kind: 'deploy', mutex: deployMutex(input), input, actor, team_id: asset.team.id };
  const id = await change(db, grant, 'deploy.started', async (tx, note) => {
    const made = await enqueue(tx, run);
    const { origin: _, ...what } = input;
    await store.insertDeployment(tx, { ...what, run_id: made.id, approval_id });
    note({ run_id: made.id, version: version.version, digest: version.digest, target, approval_id, force: wish.force });
    return made.id;
  }).catch(async (error: unknown) => {
    throw errorCode(error) === unique_violation ? await deployRunning(db, input) : error;
  });
  return await showDeploy(db, user, id);
}

/** Every check before the run, but not the comparison with the deployed version. */
export async function requireDeployable(
  { db }: Pick<DeployParts, 'db'>,
  user: SignedInCaller,
  { asset, version, config, target }: Wanted,
): Promise<{ grant: Grant<'agent.deploy'>; approval_id: string | null }> {
  const subject = await deploySubject(db, asset, { version_id: version.id, digest: version.digest, target, config });
  const grant = authorize(user, 'agent.deploy', subject);
  refuseWhatIsMissing(config, target);
  refuseEgress(await settings(db), config);
  await checkReferences(db, version);
  await requireSecrets(db, { agent_id: asset.id, config });
  return { grant, approval_id: subject.gate.approval_id ?? null };
}

/** The refusal with the id of the running deploy. */
export async function deployRunning(
  db: Database,
  { agent_id, agent, target }: Pick<DeployInput, 'agent_id' | 'agent' | 'target'>,
): Promise<Problem> {
  const id = (await activeRun(db, 'deploy', deployMutex({ agent_id, target }))) ?? null;
  const hint = id === null ? 'It has just ended. Try again.' : `Watch it: svc deployments watch ${id}`;
  return new Problem('deploy_running', {
    detail: `A deploy of agents/${agent} is already running.`,
    hint,
    fields: { deployment_id: id },
  });
}

export async function refuseDeployed(
  parts: Pick<DeployParts, 'db' | 'base_url'>,
  { asset, version, target }: Wanted,
): Promise<void> {
  const serving = await store.route(parts.db, asset.id, target);
  if (serving?.digest !== version.digest || serving.version !== version.version || serving.desired !== 'running')
    return;
  throw new Problem('already_deployed', {
    detail: `${asset.ref}@${version.version} already answers with exactly this content.`,
    fields: { endpoint: endpointOf(parts, asset.name), revision: serving.id, digest: serving.digest },
  });
}
