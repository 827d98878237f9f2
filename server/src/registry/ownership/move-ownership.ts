// Who leaves owns nothing that they leave behind: what they owned gets another owner, with the rights that owning brings.
import { printRef } from '@gantry/contract/refs.ts';
import { actions, defaultEntries, type Action } from '@gantry/contract/roles.ts';
import type { GovernedTx } from '../../access/change.ts';
import type { Reader } from '../../database/database.ts';
import { giveActions, takeActions } from '../../service-principals/acl.ts';
import * as store from '../store.ts';

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

/** Who leaves has none of it any more. */
export async function moveOwnership(
  tx: GovernedTx,
  assets: readonly Owned[],
  { from, to }: { from: string; to: string },
): Promise<void> {
  for (const { id } of assets) {
    await store.setOwner(tx, id, to);
    await moveRights(tx, id, { from, to, taken: actions });
  }
}

/** Whatever the owner before them had lost, the new one may do what owners may; `taken` is what that one may not do any more. */
export async function moveRights(
  tx: GovernedTx,
  asset_id: string,
  { from, to, taken }: { from: string; to: string; taken: readonly Action[] },
): Promise<void> {
  await takeActions(tx, asset_id, { principal_type: 'user', principal_id: from }, taken);
  await giveActions(tx, asset_id, { principal_type: 'user', principal_id: to }, defaultEntries.owner);
}

/** What these assets are called; nobody else changes them or their entries until the transaction ends. */
export async function holdAssets(tx: GovernedTx, ids: readonly string[]): Promise<{ id: string; ref: string }[]> {
  return (await store.lockAssets(tx, ids)).map(({ id, ...named }) => ({ id, ref: printRef(named) }));
}

/** References of the assets of a team. */
export async function assetsOfTeam(db: Reader, team_id: string): Promise<string[]> {
  return (await store.assetsOfTeam(db, team_id)).map(printRef);
}
