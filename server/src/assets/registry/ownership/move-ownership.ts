// Each asset of a user who leaves gets another owner, with an owner's rights.
import { printRef } from '@gantry/contract/refs.ts';
import { actions, defaultEntries, type Action } from '@gantry/contract/roles.ts';
import type { GovernedTx } from '../../../governance/access/change.ts';
import type { Reader } from '../../../ground/database/database.ts';
import { giveActions, takeActions } from '../principals/entries.ts';
import * as store from '../store.ts';

export interface Owned {
  id: string;
  ref: string;
  team_id: string;
  team: string;
}

/** The assets of a user, in one team or in all. */
export async function ownedIn(db: Reader, owner_id: string, team_id?: string): Promise<Owned[]> {
  const rows = await store.ownedAssets(db, owner_id, team_id);
  return rows.map(({ id, kind, name, team_id: of_team, team }) => ({
    id,
    ref: printRef({ kind, name }),
    team_id: of_team,
    team,
  }));
}

/** Removes the entries of the user who leaves. */
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

/** The new owner gets an owner's rights, even those that the former owner had lost. `taken` are the removed rights of the former owner. */
export async function moveRights(
  tx: GovernedTx,
  asset_id: string,
  { from, to, taken }: { from: string; to: string; taken: readonly Action[] },
): Promise<void> {
  await takeActions(tx, asset_id, { principal_type: 'user', principal_id: from }, taken);
  await giveActions(tx, asset_id, { principal_type: 'user', principal_id: to }, defaultEntries.owner);
}

/** References of these assets. They and their entries are locked until the transaction ends. */
export async function holdAssets(tx: GovernedTx, ids: readonly string[]): Promise<{ id: string; ref: string }[]> {
  return (await store.lockAssets(tx, ids)).map(({ id, ...named }) => ({ id, ref: printRef(named) }));
}

/** References of the assets of a team. */
export async function assetsOfTeam(db: Reader, team_id: string): Promise<string[]> {
  return (await store.assetsOfTeam(db, team_id)).map(printRef);
}
