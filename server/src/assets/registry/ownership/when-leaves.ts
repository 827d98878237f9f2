import { holdAdministered, removeEntriesOf } from '../../../governance/access/acl.ts';
import type { WhenLeaves } from '../../../governance/access/when-leaves.ts';
import { handOver } from './hand-over.ts';
import { assetsOfTeam, holdAssets } from './move-ownership.ts';

/** Assets get another owner, and the entries of the leaver go. Throws `last_admin` for an asset that nobody else administers. */
export const whenLeaves: WhenLeaves = {
  feature: 'registry',
  user: async (tx, user) => {
    if (user.how === 'disabled') return {};
    if (user.how === 'left_team') return await handOver(tx, user);
    const principal = { principal_type: 'user', principal_id: user.id, shown: user.email } as const;
    // In one step before the transfer, so two removals lock their assets in the same order.
    await holdAdministered(tx, holdAssets, principal);
    return { ...(await handOver(tx, user)), entries: await removeEntriesOf(tx, holdAssets, principal) };
  },
  team: async (tx, { id, name }) => ({
    entries: await removeEntriesOf(tx, holdAssets, { principal_type: 'team', principal_id: id, shown: `team:${name}` }),
  }),
  group: async (tx, { id, name }) => ({
    entries: await removeEntriesOf(tx, holdAssets, {
      principal_type: 'group',
      principal_id: id,
      shown: `group:${name}`,
    }),
  }),
  principal: async (tx, { id, name }) => ({
    entries: await removeEntriesOf(tx, holdAssets, {
      principal_type: 'principal',
      principal_id: id,
      shown: `principal:${name}`,
    }),
  }),
  heldByTeam: assetsOfTeam,
};
