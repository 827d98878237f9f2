import { Problem } from '@gantry/contract/problems.ts';
import { authorize, type Grant } from '../access/authorize.ts';
import type { Caller, SignedInCaller } from '../access/caller.ts';
import { change } from '../access/change.ts';
import { closePending } from '../approvals/approval-for.ts';
import { endAgentKeys } from '../keys/agent-keys.ts';
import type { Database } from '../database/database.ts';
import { signedIn } from '../principals/signed-in.ts';
import type { AssetRecord } from '../registry/find.ts';
import { loadAsset } from '../registry/load-asset.ts';
import { holdAlone, refuseWhileInUse } from '../registry/references/in-use.ts';
import { removeAsset } from '../registry/versions/version.ts';
import { removeSecretsOf } from '../secrets/remove.ts';
import { holdAgent } from './agent-lock.ts';
import { releasePlace } from './artefacts.ts';
import { refuseWhileDeploying } from './operated.ts';
import type { DeployParts } from './parts.ts';
import * as store from './store.ts';

/** Removes the containers before the record, so that only registered agents run. */
export async function deleteAgent(
  parts: DeployParts,
  caller: Caller,
  name: string,
  signal: AbortSignal,
): Promise<void> {
  const { db } = parts;
  const user = signedIn(caller);
  const asset = await loadAsset(db, { kind: 'agent', name }, caller);
  // Checked before the first stop. The transaction below finds later references.
  const grant = await requireDeletable(db, user, asset);
  await holdAgent(asset.id, async () => {
    const rows = await store.instancesOf(db, [asset.id]);
    for (const { place } of rows) await releasePlace(parts, place, signal);
    await change(db, grant, 'asset.deleted', async (tx, note) => {
      if (!(await holdAlone(tx, asset.id))) throw new Problem('not_found');
      await refuseWhileInUse(tx, user, asset);
      await store.removeAgent(tx, asset.id);
      await removeSecretsOf(tx, parts.secret_stores, asset.id);
      await closePending(tx, asset.id, 'withdrawn');
      const keys_ended = await endAgentKeys(tx, asset.id);
      await removeAsset(tx, asset.id);
      note({
        name: asset.name,
        visibility: asset.visibility,
        keys_ended,
        revisions_stopped: rows.map(({ revision_id }) => revision_id),
      });
    });
  });
}

export async function requireDeletable(
  db: Database,
  user: SignedInCaller,
  asset: AssetRecord,
): Promise<Grant<'asset.delete'>> {
  const grant = authorize(user, 'asset.delete', asset);
  await refuseWhileDeploying({ db }, asset);
  await refuseWhileInUse(db, user, asset);
  return grant;
}
