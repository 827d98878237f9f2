import { Problem } from '@gantry/contract/problems.ts';
import type { HoldAssets } from '../access/acl.ts';
import type { GovernedTx } from '../access/change.ts';
import type { Reader } from '../database/database.ts';
import * as store from './store.ts';
import * as teamStore from './team-store.ts';

/** What features above know and do about somebody who leaves, or a team that goes; they hand it down. */
export interface Ownership {
  /** Ends the keys of service principals that somebody was shown, in a team or everywhere. Answers whose they were. */
  endKeys(tx: GovernedTx, user_id: string, team_id?: string): Promise<string[]>;
  /** What a user owns, in a team or everywhere, locked until the transaction ends. */
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
  /** What these assets are called; nobody else changes them or their entries until the transaction ends. */
  holdAssets: HoldAssets;
  /** What a team has, as it is written. */
  assetsOfTeam(db: Reader, team_id: string): Promise<string[]>;
  principalsOfTeam(db: Reader, team_id: string): Promise<string[]>;
}

/** Gives what somebody owns who is leaving to an active member of the assets' teams. Throws `owns_assets`, `invalid`. */
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
      hint: 'Say who owns them from now on: --assets-to <e-mail>',
      fields: { assets: refs },
    });
  const to = await store.userByEmail(tx, assets_to);
  const teams =
    to === undefined ? [] : (await teamStore.membershipsOfUsers(tx, [to.id])).map((member) => member.team_id);
  const outside = owned.find((asset) => !teams.includes(asset.team_id));
  if (to?.active !== true || to.id === from.id || outside !== undefined)
    throw new Problem('invalid', {
      detail: `${assets_to} is no other active member of team:${(outside ?? owned[0])?.team}, which ${(outside ?? owned[0])?.ref} belongs to.`,
    });
  await ownership.move(tx, owned, { from: from.id, to: to.id });
  return { assets_to: to.email, assets: refs };
}
