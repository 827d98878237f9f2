import type { ConfiguredKind } from '@gantry/contract/asset-kinds.ts';
import { Problem } from '@gantry/contract/problems.ts';
import { authorize } from '../../access/authorize.ts';
import type { Caller } from '../../access/caller.ts';
import { change } from '../../access/change.ts';
import type { Database } from '../../database/database.ts';
import { signedIn } from '../../principals/signed-in.ts';
import type { CloseRequests } from './close-requests.ts';
import { loadAsset } from '../load-asset.ts';
import { holdAlone, refuseWhileInUse } from '../references/in-use.ts';
import { removeAsset } from '../versions/version.ts';

/** The team can use the name again. Its next asset inherits nothing, because entries and requests refer to the id. */
export async function deleteAsset(
  db: Database,
  closeRequests: CloseRequests,
  caller: Caller,
  ref: { kind: ConfiguredKind; name: string },
): Promise<void> {
  const user = signedIn(caller);
  const asset = await loadAsset(db, ref, caller);
  const grant = authorize(user, 'asset.delete', asset);
  await change(db, grant, 'asset.deleted', async (tx, note) => {
    if (!(await holdAlone(tx, asset.id))) throw new Problem('not_found');
    await refuseWhileInUse(tx, user, asset);
    const requests_closed = await closeRequests(tx, asset.id, 'withdrawn');
    await removeAsset(tx, asset.id);
    note({ name: asset.name, owner: asset.owner, visibility: asset.visibility, requests_closed });
  });
}
