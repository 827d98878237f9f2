import { Problem } from '@gantry/contract/problems.ts';
import type { AssetRef } from '@gantry/contract/refs.ts';
import type { AssetState } from '@gantry/contract/assets/registry.ts';
import type { Visibility } from '@gantry/contract/roles.ts';
import { entriesOf } from '../../../governance/access/acl.ts';
import { authorize } from '../../../governance/access/authorize.ts';
import type { Caller } from '../../../governance/access/caller.ts';
import { change } from '../../../governance/access/change.ts';
import { shownVisibility, visibilityChanges } from '../../../governance/access/visibility.ts';
import type { Database } from '../../../ground/database/database.ts';
import { signedIn } from '../../../people/principals/signed-in.ts';
import { setActions } from '../principals/entries.ts';
import { findAssetById } from '../find.ts';
import { holdAsset, loadAsset } from '../load-asset.ts';
import { assetStateRecord } from './records.ts';
import * as store from '../store.ts';

export async function setVisibility(
  db: Database,
  caller: Caller,
  ref: AssetRef,
  visibility: Visibility,
): Promise<AssetState> {
  const user = signedIn(caller);
  const asset = await loadAsset(db, ref, caller);
  const grant = authorize(user, 'permission.change', asset);
  await change(db, grant, 'permission.changed', async (tx, note) => {
    const held = await holdAsset(tx, asset.id, user);
    authorize(user, 'permission.change', held); // the asset may have been transferred since the decision
    const { team, owner, visibility: told } = held;
    const entries = await entriesOf(tx, asset.id);
    const changes = visibilityChanges(entries, team.id, visibility);
    for (const { principal, after } of changes) await setActions(tx, asset.id, principal, after);
    const now = await entriesOf(tx, asset.id);
    if (!now.some(({ actions }) => actions.includes('admin')))
      throw new Problem('last_admin', {
        detail: `Nobody could change the permissions of ${asset.ref} any more.`,
        hint: `Grant \`admin\` to a user first: svc acl grant --asset ${asset.ref} --principal user:${owner} --actions admin`,
      });
    const shown = { before: shownVisibility(entries, team.id), after: shownVisibility(now, team.id) };
    if (changes.length === 0 && told === shown.after) return;
    await store.setVisibility(tx, asset.id, shown.after);
    note({
      visibility: shown,
      entries: changes.map(({ principal: { principal_type }, before, after }) => ({
        principal: principal_type === 'org' ? 'org' : `team:${team.name}`,
        before,
        after,
      })),
    });
  });
  return assetStateRecord((await findAssetById(db, asset.id, caller)) ?? asset);
}
