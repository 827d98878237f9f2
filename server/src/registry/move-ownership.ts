// Who leaves owns nothing that they leave behind: what they owned gets another owner, with the rights that owning brings.
import { printRef } from '@gantry/contract/refs.ts';
import { defaultEntries } from '@gantry/contract/roles.ts';
import { entriesOf, putMore, removeEntry } from '../access/acl.ts';
import type { GovernedTx } from '../access/change.ts';
import type { Reader } from '../database/database.ts';
import * as store from './store.ts';

export interface Owned {
  id: string;
  ref: string;
  team_id: string;
  team: string;
}

/** What a user owns; in one team, or everywhere. */
export async function ownedIn(db: Reader, owner_id: string, team_id?: string): Promise<Owned[]> {
  const rows = await store.ownedAssets(db, owner_id, team_id);
  return rows.map(({ id, kind, name, team_id: of_team, team }) => ({
    id,
    ref: printRef({ kind, name }),
    team_id: of_team,
    team,
  }));
}

/** The owner's entry moves with the asset: who had it has none of it any more. */
export async function moveOwnership(
  tx: GovernedTx,
  assets: readonly Owned[],
  { from, to }: { from: string; to: string },
): Promise<void> {
  for (const { id } of assets) {
    await store.setOwner(tx, id, to);
    await putMore(tx, id, { principal_type: 'user', principal_id: to }, defaultEntries.owner);
    const old = (await entriesOf(tx, id)).find(({ principal_id }) => principal_id === from);
    if (old !== undefined) await removeEntry(tx, old.id);
  }
}

/** References of the assets of a team. */
export async function assetsOfTeam(db: Reader, team_id: string): Promise<string[]> {
  return (await store.assetsOfTeam(db, team_id)).map(printRef);
}
