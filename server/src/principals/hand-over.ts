import { Problem } from '@gantry/contract/problems.ts';
import type { HoldAssets } from '../access/acl.ts';
import type { GovernedTx } from '../access/change.ts';
import type { Reader } from '../database/database.ts';
import * as store from './store.ts';
import * as teamStore from './team-store.ts';

/** Assets and keys of members. Higher folders provide these functions. */
export interface Ownership {
  /** Issues a new member's gateway key, which waits to be claimed. Returns its name. */
  issueKey(tx: GovernedTx, member: NewMember): Promise<string>;
  /** Ends the user's gateway keys, and the keys that they were shown, in a team or everywhere. Returns what ended. */
  endKeys(tx: GovernedTx, user_id: string, team_id?: string): Promise<string[]>;
  /** Ends a team's gateway keys. */
  endKeysOfTeam(tx: GovernedTx, team_id: string): Promise<string[]>;
  /** A user's assets, in a team or everywhere, locked until the transaction ends. */
  owned(
    db: Reader,
    user_id: string,
    team_id?: string,
  ): Promise<{ id: string; ref: string; team_id: string; team: string }[]>;
  move(
    tx: GovernedTx,
    assets: readonly { id: string; ref: string; team_id: string; team: string }[],
    users: { from: string; to: string },
  ): Promise<void>;
  /** Locks these assets and their entries until the transaction ends, and returns the references. */
  holdAssets: HoldAssets;
  /** References of a team's assets. */
  assetsOfTeam(db: Reader, team_id: string): Promise<string[]>;
  principalsOfTeam(db: Reader, team_id: string): Promise<string[]>;
  secretsOfTeam(db: Reader, team_id: string): Promise<string[]>;
}

export interface NewMember {
  id: string;
  email: string;
  team_id: string;
  /** The user who adds them. */
  issued_by: string;
}

/**
 * Transfers the assets of a leaving user to an active member of their teams. Throws `owns_assets` without a new owner, and `invalid` if the
 * new owner is no such member.
 */
export async function handOver(
  tx: GovernedTx,
  ownership: Ownership,
  { from, assets_to, team_id }: { from: store.UserRow; assets_to: string | undefined; team_id?: string },
): Promise<{ assets_to?: string; assets?: string[] }> {
  const owned = await ownership.owned(tx, from.id, team_id);
  if (owned.length === 0) return {};
  const refs = owned.map(({ ref }) => ref);
  if (assets_to === undefined)
    throw new Problem('owns_assets', {
      detail: `${from.email} owns ${refs.join(', ')}.`,
      hint: 'Name the new owner: --assets-to <e-mail>',
      fields: { assets: refs },
    });
  const to = await store.userByEmail(tx, assets_to);
  const teams =
    to === undefined ? [] : (await teamStore.membershipsOfUsers(tx, [to.id])).map((member) => member.team_id);
  const outside = owned.find((asset) => !teams.includes(asset.team_id));
  if (to?.active !== true || to.id === from.id || outside !== undefined)
    throw new Problem('invalid', {
      detail: `${assets_to} is not another active member of team:${(outside ?? owned[0])?.team}, which owns ${(outside ?? owned[0])?.ref}.`,
    });
  await ownership.move(tx, owned, { from: from.id, to: to.id });
  return { assets_to: to.email, assets: refs };
}
