// Checks whether the caller may do an action. It asks the decision itself, so it gives the same answer as a request.
import { targetOf } from '@gantry/project/agent-yaml.ts';
import { Problem } from '@gantry/contract/problems.ts';
import type { Action, Operation } from '@gantry/contract/roles.ts';
import { meantTarget } from '../../assets/targets/find-targets.ts';
import { authorize } from '../../governance/access/authorize.ts';
import type { Caller, SignedInCaller } from '../../governance/access/caller.ts';
import { canRead, decide, type Decision } from '../../governance/access/decide.ts';
import { theOrg, type AssetSubject, type DeploySubject } from '../../governance/access/subject.ts';
import type { Database } from '../../ground/database/database.ts';
import { isAllowedCaller, notAllowed } from '../deploy/serving/allowed-callers.ts';
import { servingConfig } from '../deploy/serving/serving-config.ts';
import { deploySubject } from '../deploy/decide-deploy.ts';
import type { DeployParts } from '../deploy/parts.ts';
import { subjectWithoutContainer } from '../deploy/deployments/subject-without-container.ts';
import type { ReadAsOf } from '../../people/login/read-as-of.ts';
import { signedIn } from '../../people/principals/signed-in.ts';
import { assetFor } from '../../assets/registry/asset-copies.ts';
import { findVersion, type AssetRecord } from '../../assets/registry/find.ts';
import { loadAgentConfig } from '../../assets/registry/versions/load-version-content.ts';
import { named, type Resource } from './find-resource.ts';

const operationOf = {
  read: 'asset.read',
  use: 'asset.invoke',
  write: 'asset.write',
  publish: 'asset.publish',
  admin: 'permission.change',
} as const satisfies Record<Exclude<Action, 'deploy'>, Operation>;

/** A missing asset gets the same answer as a hidden one. */
export async function check(
  { db, targets, readAsOf }: AskingParts & { readAsOf: ReadAsOf },
  caller: Caller,
  asked: Resource & { action: Action },
): Promise<{ allowed: boolean; reason: string }> {
  const wants = { asset: assetFor({ ...named(asked), caller_id: signedIn(caller).id }) };
  const { caller: user, asset } = await readAsOf(signedIn(caller), wants);
  authorize(user, 'permission.check', theOrg);
  if (asset === undefined || !canRead(user, asset))
    return { allowed: false, reason: 'There is nothing here that you may read.' };
  try {
    const decision = await decideOn(db, user, asset, await question({ db, targets }, asset, asked.action));
    return { allowed: decision.allowed, reason: decision.allowed ? decision.because : decision.reason };
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    return { allowed: false, reason: error.detail };
  }
}

/** The decision on the ACL. For a call, `allowed_callers` can narrow it; then the answer names the allowed teams. */
export async function decideOn(
  db: Database,
  user: SignedInCaller,
  asset: AssetRecord,
  { operation, subject }: Question,
): Promise<Decision & { teams?: string[] }> {
  const decision = decide(user, operation, subject);
  if (!decision.allowed || operation !== 'asset.invoke' || asset.serving_version_id === null) return decision;
  const { allowed_teams: teams } = await servingConfig(db, asset.serving_version_id);
  if (isAllowedCaller(user, asset, teams)) return decision;
  return { allowed: false, code: 'forbidden', reason: notAllowed(asset, teams), ...(teams && { teams }) };
}

type AskingParts = Pick<DeployParts, 'db' | 'targets'>;

export interface Question {
  operation: Operation;
  subject: AssetSubject | DeploySubject;
}

/** The question to the decision. Throws `forbidden` if a deploy is impossible in any case. */
export async function question({ db, targets }: AskingParts, asset: AssetRecord, action: Action): Promise<Question> {
  if (action !== 'deploy') return { operation: operationOf[action], subject: asset };
  if (asset.asset_kind === 'target') return { operation: 'target.deploy_to', subject: asset };
  const isOrchestration = asset.asset_kind === 'orchestration';
  if (asset.asset_kind !== 'agent' && !isOrchestration)
    throw new Problem('forbidden', { detail: 'Only agents and orchestrations are deployed, and only to targets.' });
  // The newest version on its own target: the defaults of a deploy.
  const version = await findVersion(db, asset.id, 'latest');
  if (version === undefined) throw new Problem('forbidden', { detail: `${asset.ref} has no version yet.` });
  if (isOrchestration) return { operation: 'agent.deploy', subject: await subjectWithoutContainer(db, asset, version) };
  const config = await loadAgentConfig(db, version.id);
  const what = {
    version_id: version.id,
    digest: version.digest,
    target: await meantTarget(db, targetOf(config), config.deploy),
    config,
  };
  return { operation: 'agent.deploy', subject: await deploySubject({ db, targets }, asset, what) };
}
