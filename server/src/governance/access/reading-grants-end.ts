import { removeGrantsOn, removeGrantsTo } from './reading-grants.ts';
import type { WhenLeaves } from './when-leaves.ts';

export const readingGrantsEnd: WhenLeaves = {
  feature: 'reading grants',
  user: async (tx, { id, how, team_id }) =>
    how === 'disabled' ? {} : { reading_grants: await removeGrantsTo(tx, id, team_id) },
  team: async (tx, { id }) => ({ reading_grants: await removeGrantsOn(tx, id) }),
  group: async (tx, { id }) => ({ reading_grants: await removeGrantsTo(tx, id) }),
  principal: async (tx, { id }) => ({ reading_grants: await removeGrantsTo(tx, id) }),
};
