import type { Deployment } from '@gantry/contract/deploy.ts';
import { Problem } from '@gantry/contract/problems.ts';
import { authorize } from '../access/authorize.ts';
import type { Caller } from '../access/caller.ts';
import type { Database } from '../database/database.ts';
import { loadAgentConfig } from '../registry/versions/load-version-content.ts';
import { findRun, requestCancel } from '../runs/run.ts';
import { deploySubject } from './decide-deploy.ts';
import { findDeploy, showDeploy } from './find-deploy.ts';
import * as store from './store.ts';

/** For who started it, and for whoever could deploy it. What it made is taken away; the log says so when that is done. */
export async function cancel(db: Database, caller: Caller, id: string): Promise<Deployment> {
  const { row, asset, user } = await findDeploy(db, caller, id);
  const run = await findRun(db, id);
  if (run?.actor.user_id !== user.id) {
    const config = await loadAgentConfig(db, row.version_id);
    authorize(user, 'agent.operate', await deploySubject(db, asset, { ...row, config }));
  }
  // Together or not at all, so that whoever asked is the one it is put down to. The run's row is locked first, as its executor does.
  await db.transaction(async (tx) => {
    if (!(await requestCancel(tx, id))) {
      throw new Problem('not_cancellable', {
        detail: `The deploy of ${asset.ref}@${row.version} has ended or switched already.`,
      });
    }
    await store.setCancelledBy(tx, id, user.label);
  });
  return await showDeploy(db, user, id);
}
