import { Problem } from '@gantry/contract/problems.ts';
import { printGrantee, type AssetRef } from '@gantry/contract/refs.ts';
import type { AssetStanding } from '@gantry/contract/registry.ts';
import type { Visibility } from '@gantry/contract/roles.ts';
import { defaultEntriesFor, entriesOf, putEntry, removeEntry, shownVisibility } from '../access/acl.ts';
import { authorize } from '../access/authorize.ts';
import type { Caller } from '../access/caller.ts';
import { change } from '../access/change.ts';
import type { Entry } from '../access/subject.ts';
import type { Database } from '../database/database.ts';
import { signedIn } from '../principals/signed-in.ts';
import { findAsset, findAssetById } from './find.ts';
import { standingRecord } from './records.ts';
import * as store from './store.ts';

/**
 * The entries of the organisation and of the asset's team become what this visibility would have written; where it writes one, what was
 * granted beyond it stays. Entries of anybody else stay as they are.
 */
export async function setVisibility(
  db: Database,
  caller: Caller,
  ref: AssetRef,
  visibility: Visibility,
): Promise<AssetStanding> {
  const user = signedIn(caller);
  const asset = await findAsset(db, ref.kind, ref.name);
  if (asset === undefined) throw new Problem('not_found');
  const grant = authorize(user, 'permission.change', asset);
  await change(db, grant, 'permission.changed', async (tx, note) => {
    const held = await store.lockAsset(tx, asset.id);
    // It may have been transferred since it was decided.
    const { team, owner, owner_id } = (held && (await findAssetById(tx, asset.id))) ?? gone();
    const before = await entriesOf(tx, asset.id);
    const written = defaultEntriesFor(owner_id, team.id, visibility);
    const subjects: (Pick<Entry, 'principal_type' | 'principal_id'> & { shown: string })[] = [
      { principal_type: 'team', principal_id: team.id, shown: `team:${team.name}` },
      { principal_type: 'org', principal_id: null, shown: 'org' },
    ];
    const changes = [];
    for (const { shown, ...principal } of subjects) {
      const own = (entry: Entry) => printGrantee(entry) === printGrantee(principal);
      const had = before.find(own);
      const wanted = written.find(own);
      const has = wanted === undefined ? [] : [...new Set([...(had?.actions ?? []), ...wanted.actions])];
      if (has.length === (had?.actions.length ?? 0)) continue;
      if (has.length > 0) await putEntry(tx, asset.id, principal, has);
      else if (had !== undefined) await removeEntry(tx, had.id);
      changes.push({ principal: shown, before: had?.actions ?? [], after: has });
    }
    const after = await entriesOf(tx, asset.id);
    if (!after.some(({ actions }) => actions.includes('admin')))
      throw new Problem('last_admin', {
        detail: `Nobody would be left who may change who may do what to ${asset.ref}.`,
        hint: `Grant \`admin\` to somebody first: svc acl grant --asset ${asset.ref} --principal user:${owner} --actions admin`,
      });
    const shown = { before: shownVisibility(before, team.id), after: shownVisibility(after, team.id) };
    if (changes.length === 0 && held?.visibility === shown.after) return;
    await store.setVisibility(tx, asset.id, shown.after);
    note({ visibility: shown, entries: changes });
  });
  return standingRecord((await findAssetById(db, asset.id)) ?? asset);
}

function gone(): never {
  throw new Problem('not_found');
}
