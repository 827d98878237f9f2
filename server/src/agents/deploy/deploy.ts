// Starts a deploy: decides, refuses early, and stores the run. The pipeline does the slow work.
import type { Deployment } from '@gantry/contract/agents/deploy.ts';
import { Problem } from '@gantry/contract/problems.ts';
import { authorize, type Grant } from '../../governance/access/authorize.ts';
import type { Caller, SignedInCaller } from '../../governance/access/caller.ts';
import { change } from '../../governance/access/change.ts';
import { settings } from '../../people/principals/find.ts';
import { signedIn } from '../../people/principals/signed-in.ts';
import { checkReferences } from '../../assets/registry/references/pin-references.ts';
import { requireSecrets } from '../../assets/secrets/delivery.ts';
import { enqueue, MutexHeld, type ActiveRun } from '../../ground/runs/run.ts';
import { authorizeTarget, deploySubject } from './decide-deploy.ts';
import { deployMutex, type DeployInput } from './deploy-run.ts';
import { refuseBroken } from './plan-for.ts';
import { refuseEgress, refuseUnlimited } from './egress.ts';
import { endpointOf } from './serving/endpoint.ts';
import { showDeploy } from './deployments/find-deploy.ts';
import { findVersionToDeploy, type Wanted } from './deployments/find-version-to-deploy.ts';
import type { DeployParts } from './parts.ts';
import * as store from './store.ts';
import { refuseUnfitTarget } from './steps/1-validate.ts';

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
  const { grant, approval_id } = await requireDeployable(parts, user, wanted);
  if (!wish.force) await refuseDeployed(parts, wanted);
  return await enqueueDeploy(parts, user, { wanted, grant, approval_id, force: wish.force });
}

export interface DecidedDeploy {
  wanted: Wanted;
  grant: Grant<'agent.deploy'>;
  approval_id: string | null;
  force?: boolean;
  rollback?: NonNullable<DeployInput['rollback']>;
}

/** Stores the run of a deploy or a rollback. Throws `deploy_running`. */
export async function enqueueDeploy(
  { db }: Pick<DeployParts, 'db'>,
  user: SignedInCaller,
  { wanted: { asset, version, target }, grant, approval_id, force, rollback }: DecidedDeploy,
): Promise<Deployment> {
  const operation = rollback === undefined ? 'deploy' : 'rollback';
  const input: DeployInput = {
    agent_id: asset.id,
    agent: asset.name,
    version_id: version.id,
    version: version.version,
    digest: version.digest,
    target,
    origin: { request_id: user.origin.request_id, ip: user.origin.ip },
    ...(rollback === undefined ? {} : { rollback }),
  };
  const actor = { user_id: user.id, name: user.label };
  const run = { kind: operation, mutex: deployMutex(input), input, actor, team_id: asset.team.id };
  const id = await change(db, grant, 'deploy.started', async (tx, note) => {
    const made = await enqueue(tx, run);
    const { origin: _, rollback: back, ...what } = input;
    await store.insertDeployment(tx, { ...what, operation, run_id: made.id, approval_id });
    const more =
      back === undefined ? { force: force ?? false } : { rollback_to: back.revision_id, reason: back.reason };
    note({ run_id: made.id, version: version.version, digest: version.digest, target, approval_id, ...more });
    return made.id;
  }).catch((error: unknown) => {
    throw error instanceof MutexHeld ? deployRunning(input, error.holder) : error;
  });
  return await showDeploy(db, user, id);
}

/** Every check before the run, but not the comparison with the deployed version. */
export async function requireDeployable(
  { db, targets }: Pick<DeployParts, 'db' | 'targets'>,
  user: SignedInCaller,
  { asset, version, config, target }: Wanted,
  { isRollback = false } = {},
): Promise<{ grant: Grant<'agent.deploy'>; approval_id: string | null }> {
  await refuseUnfitTarget({ db, targets }, { config, target });
  const subject = await deploySubject({ db, targets }, asset, {
    version_id: version.id,
    digest: version.digest,
    target,
    config,
  });
  const grant = authorize(user, 'agent.deploy', subject);
  await authorizeTarget(db, user, target);
  const setting = await settings(db);
  refuseEgress(setting, config);
  await refuseUnlimited(targets, { setting, config, target });
  await refuseBroken(targets, db, { config, digest: version.digest, target });
  await checkReferences(db, version, isRollback ? { onChanged: () => {} } : {});
  await requireSecrets(db, { agent_id: asset.id, config });
  return { grant, approval_id: subject.gate.approval_id ?? null };
}

/** The refusal with the kind and the id of the running run. */
export function deployRunning({ agent }: Pick<DeployInput, 'agent'>, holder: ActiveRun | undefined): Problem {
  return new Problem('deploy_running', {
    detail: `A ${holder?.kind ?? 'run'} of agents/${agent} is already running.`,
    hint: holder === undefined ? 'It has just ended. Try again.' : `Watch it: svc deployments watch ${holder.id}`,
    fields: { deployment_id: holder?.id ?? null },
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
