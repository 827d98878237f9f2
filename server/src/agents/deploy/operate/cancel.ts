import type { Deployment } from '@gantry/contract/agents/deploy.ts';
import { Problem } from '@gantry/contract/problems.ts';
import { authorize } from '../../../governance/access/authorize.ts';
import type { Caller } from '../../../governance/access/caller.ts';
import type { Database } from '../../../ground/database/database.ts';
import { loadAgentConfig } from '../../../assets/registry/versions/load-version-content.ts';
import { findRun, requestCancel } from '../../../ground/runs/run.ts';
import { deployedSubject } from '../decide-deploy.ts';
import { findDeploy, showDeploy } from '../deployments/find-deploy.ts';
import * as store from '../store.ts';

/** Allowed for the deployer of this deploy and for everybody who may deploy the version. The undo follows, and ends with a log entry. */
export async function cancel(db: Database, caller: Caller, id: string): Promise<Deployment> {
  const { row, asset, user } = await findDeploy(db, caller, id);
  const run = await findRun(db, id);
  if (run?.actor.user_id !== user.id) {
    const config = await loadAgentConfig(db, row.version_id);
    authorize(user, 'agent.operate', await deployedSubject(db, asset, { ...row, config }));
  }
  // One transaction records the cancel and its requester. It locks the run's row first, in the same order as the run's executor.
  await db.transaction(async (tx) => {
    if (!(await requestCancel(tx, id))) {
      throw new Problem('not_cancellable', {
        detail: `The deploy of ${asset.ref}@${row.version} has already ended or switched.`,
      });
    }
    await store.setCancelledBy(tx, id, user.label);
  });
  return await showDeploy(db, user, id);
}
