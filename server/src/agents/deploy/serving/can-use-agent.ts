// The endpoints that depend on the deploy of an agent. Each of them checks the same before it acts.
import type { AgentStatus } from '@gantry/contract/agents/deploy.ts';
import { Problem } from '@gantry/contract/problems.ts';
import { printVersionRef } from '@gantry/contract/refs.ts';
import { authorize } from '../../../governance/access/authorize.ts';
import { passes } from '../../../governance/access/can.ts';
import type { SignedInCaller } from '../../../governance/access/caller.ts';
import type { AssetRecord } from '../../../assets/registry/find.ts';
import { requireDeletable } from '../operate/delete.ts';
import { refuseDeployed, requireDeployable } from '../deploy.ts';
import { findVersionToDeploy } from '../deployments/find-version-to-deploy.ts';
import { findOperable, findOperated, refuseWhileDeploying } from '../operate/operated.ts';
import type { DeployParts } from '../parts.ts';
import { requireCallable } from './require-callable.ts';
import { findRollback } from '../operate/rollback.ts';
import { requireRestart } from '../operate/restart.ts';
import { requireScalable } from '../operate/scale.ts';
import { servingConfig } from './serving-config.ts';
import * as store from '../store.ts';

export async function canUseAgent(
  parts: DeployParts,
  user: SignedInCaller,
  asset: AssetRecord,
  latest_version: string | null,
): Promise<AgentStatus['can']> {
  const { db } = parts;
  const { name } = asset;
  const operate = async () => await findOperated(parts, user, { name });
  const operated = await passes(operate);
  const deploy = async () => {
    if (latest_version === null) {
      authorize(user, 'asset.write', asset);
      throw new Problem('not_found', { detail: `${asset.ref} has no version yet.` });
    }
    const ref = printVersionRef({ kind: 'agent', name, version: latest_version });
    const wanted = await findVersionToDeploy(db, user, { ref });
    await requireDeployable(parts, user, wanted);
    await refuseDeployed(parts, wanted);
    await refuseWhileDeploying(parts, asset, wanted.target);
  };
  const rollback = async () => {
    const { wanted } = await findRollback(parts, user, { name });
    await requireDeployable(parts, user, wanted, { isRollback: true });
    await refuseWhileDeploying(parts, asset, wanted.target);
  };
  const call = async () => {
    const route = await store.defaultRoute(db, asset.id);
    const serving = route && { ...route, ...(await servingConfig(db, route.version_id)) };
    requireCallable(user, asset, serving);
  };
  return {
    'agents.delete': await passes(async () => await requireDeletable(db, user, asset)),
    'agents.restart': await passes(async () => await requireRestart(db, await operate())),
    'agents.rollback': await passes(rollback),
    'agents.scale': await passes(async () => await requireScalable(db, await operate())),
    'agents.start': operated,
    'agents.stop': await passes(async () => await findOperable(parts, user, { name })),
    'budgets.show': await passes(() => authorize(user, 'budget.read', { ...asset.team, kind: 'team' })),
    'deployments.create': await passes(deploy),
    'invoke.call': await passes(call),
  };
}
