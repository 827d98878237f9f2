import type { AssetKind } from '@gantry/contract/roles.ts';
import type { ConfiguredKind } from '@gantry/contract/assets/asset-kinds.ts';
import { Problem } from '@gantry/contract/problems.ts';
import { authorize } from '../../../governance/access/authorize.ts';
import type { Caller } from '../../../governance/access/caller.ts';
import { change, type GovernedTx } from '../../../governance/access/change.ts';
import type { Database } from '../../../ground/database/database.ts';
import { signedIn } from '../../../people/principals/signed-in.ts';
import type { CloseRequests } from './close-requests.ts';
import { loadAsset } from '../load-asset.ts';
import { holdAlone, refuseWhileCalled, refuseWhileInUse, type FindNamedUsers } from '../references/in-use.ts';
import { authorizeTargetChange } from './target-change.ts';
import { removeAsset } from '../versions/version.ts';

interface DeleteParts {
  db: Database;
  closeRequests: CloseRequests;
  findNamedUsers: FindNamedUsers;
  removeRows: RemoveRows;
}

/** What higher folders keep of an asset, by its kind: the log names each governed row that goes with it, and what is returned. */
export type RemoveRows = Partial<
  Record<AssetKind, (tx: GovernedTx, asset_id: string) => Promise<Record<string, unknown> | void>>
>;

interface Deletion {
  kind: ConfiguredKind;
  name: string;
  /** Also while a model is called by its name, and a target that has leftovers. It needs a reason. */
  force?: boolean;
  reason?: string | undefined;
}

/** The team can use the name again. Its next asset inherits nothing, because entries and requests refer to the id. */
export async function deleteAsset(
  { db, closeRequests, findNamedUsers, removeRows }: DeleteParts,
  caller: Caller,
  { force = false, reason, ...ref }: Deletion,
): Promise<void> {
  const user = signedIn(caller);
  const asset = await loadAsset(db, ref, caller);
  const grant = authorize(user, 'asset.delete', asset);
  authorizeTargetChange(user, ref.kind);
  await change(db, grant, 'asset.deleted', async (tx, note) => {
    if (!(await holdAlone(tx, asset.id))) throw new Problem('not_found');
    await refuseWhileInUse(tx, user, asset);
    const broken = await refuseWhileCalled({ db: tx, findNamedUsers }, user, { asset, force });
    const requests_closed = await closeRequests(tx, asset.id, 'withdrawn');
    const gone = await removeRows[ref.kind]?.(tx, asset.id);
    await removeAsset(tx, asset.id);
    note({ name: asset.name, owner: asset.owner, visibility: asset.visibility, requests_closed, ...gone });
    if (force)
      note({ forced: true, reason, used_by: [...broken.assets, ...broken.settings], used_by_others: broken.hidden });
  });
}
