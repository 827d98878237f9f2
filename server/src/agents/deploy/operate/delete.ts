import { Problem } from '@gantry/contract/problems.ts';
import { authorize, type Grant } from '../../../governance/access/authorize.ts';
import type { Caller, SignedInCaller } from '../../../governance/access/caller.ts';
import { change } from '../../../governance/access/change.ts';
import type { Database } from '../../../ground/database/database.ts';
import { signedIn } from '../../../people/principals/signed-in.ts';
import type { AssetRecord } from '../../../assets/registry/find.ts';
import { loadAsset } from '../../../assets/registry/load-asset.ts';
import { holdAlone, refuseWhileInUse } from '../../../assets/registry/references/in-use.ts';
import { removeAsset } from '../../../assets/registry/versions/version.ts';
import { activeRun, requestCancel } from '../../../ground/runs/run.ts';
import { enqueueRelease } from './release.ts';
import { deployMutex } from '../deploy-run.ts';
import type { DeployParts } from '../parts.ts';
import * as instanceStore from '../instance-store.ts';
import * as store from '../store.ts';

/**
 * Waits for nobody: a running deploy is cancelled, calls and the agent's keys end with the record, and a run behind it removes the
 * containers.
 */
export async function deleteAgent(
  parts: Pick<DeployParts, 'db' | 'leaves'>,
  caller: Caller,
  name: string,
): Promise<void> {
  const { db } = parts;
  const user = signedIn(caller);
  const asset = await loadAsset(db, { kind: 'agent', name }, caller);
  const grant = await requireDeletable(db, user, asset);
  await change(db, grant, 'asset.deleted', async (tx, note) => {
    // The runs first, in the order of their executors.
    for (const target of await store.activeTargets(tx, asset.id)) {
      const running = await activeRun(tx, deployMutex({ agent_id: asset.id, target }));
      if (running !== undefined) await requestCancel(tx, running.id);
    }
    if (!(await holdAlone(tx, asset.id))) throw new Problem('not_found');
    await refuseWhileInUse(tx, user, asset);
    const rows = await instanceStore.instancesOf(tx, [asset.id]);
    await enqueueRelease(tx, { asset, actor: { user_id: user.id, name: user.label }, rows });
    await store.removeAgent(tx, asset.id);
    const ended = await parts.leaves.agent(tx, asset);
    await removeAsset(tx, asset.id);
    note({
      name: asset.name,
      visibility: asset.visibility,
      ...ended,
      revisions_stopped: [...new Set(rows.map(({ revision_id }) => revision_id))],
    });
  });
}

export async function requireDeletable(
  db: Database,
  user: SignedInCaller,
  asset: AssetRecord,
): Promise<Grant<'asset.delete'>> {
  const grant = authorize(user, 'asset.delete', asset);
  await refuseWhileInUse(db, user, asset);
  return grant;
}
