import { entryOfMaker } from '../../../governance/access/acl.ts';
import type { SignedInCaller } from '../../../governance/access/caller.ts';
import type { GovernedTx } from '../../../governance/access/change.ts';
import { defaultEntriesFor } from '../../../governance/access/visibility.ts';
import { writeEntries } from '../principals/entries.ts';
import * as store from '../store.ts';
import { requireOwnName } from './former-name.ts';

/** A new asset with its first entries. Throws for a name that another team's asset had, and the database's unique violation. */
export async function insertOwned(tx: GovernedTx, maker: SignedInCaller, asset: store.NewAsset): Promise<string> {
  const { owner_id, team_id, visibility } = asset;
  const asset_id = await store.insertAsset(tx, asset);
  // After the insert, which waits for a delete of the same name.
  await requireOwnName(tx, maker, asset);
  await writeEntries(tx, asset_id, [...defaultEntriesFor(owner_id, team_id, visibility), ...entryOfMaker(maker)]);
  return asset_id;
}
