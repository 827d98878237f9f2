import { Problem } from '@gantry/contract/problems.ts';
import type { GovernedTx } from '../../../governance/access/change.ts';
import type { LeavingUser } from '../../../governance/access/when-leaves.ts';
import { findUser, isInTeam } from '../../../people/principals/find.ts';
import { moveOwnership, ownedIn } from './move-ownership.ts';

/**
 * Transfers the assets of a leaving user to an active member of their teams. Throws `owns_assets` without a new owner, and `invalid` if the
 * new owner is no such member.
 */
export async function handOver(
  tx: GovernedTx,
  { id, email, team_id, assets_to }: LeavingUser,
): Promise<{ assets_to?: string; assets?: string[] }> {
  const owned = await ownedIn(tx, id, team_id);
  const [first] = owned;
  if (first === undefined) return {};
  const refs = owned.map(({ ref }) => ref);
  if (assets_to === undefined)
    throw new Problem('owns_assets', {
      detail: `${email} owns ${refs.join(', ')}.`,
      hint: 'Name the new owner: --assets-to <e-mail>',
      fields: { assets: refs },
    });
  const to = await findUser(tx, assets_to);
  const outside = to === undefined ? first : await firstOutside(tx, owned, to.id);
  if (to?.active !== true || to.id === id || outside !== undefined)
    throw new Problem('invalid', {
      detail: `${assets_to} is not another active member of team:${(outside ?? first).team}, which owns ${(outside ?? first).ref}.`,
    });
  await moveOwnership(tx, owned, { from: id, to: to.id });
  return { assets_to: to.email, assets: refs };
}

async function firstOutside<Asset extends { team_id: string }>(
  tx: GovernedTx,
  owned: readonly Asset[],
  user_id: string,
): Promise<Asset | undefined> {
  const teams = new Map<string, boolean>();
  for (const team_id of new Set(owned.map((asset) => asset.team_id)))
    teams.set(team_id, await isInTeam(tx, team_id, user_id));
  return owned.find((asset) => teams.get(asset.team_id) !== true);
}
