import type { WhenLeaves } from '../../governance/access/when-leaves.ts';
import { endKeysOf, endKeysOfTeam, endKeysOfUser } from './end-keys.ts';

export const whenLeaves: WhenLeaves = {
  feature: 'keys',
  user: async (tx, { id, team_id }) => ({ keys_ended: await endKeysOfUser(tx, id, team_id) }),
  team: async (tx, { id }) => ({ keys_ended: await endKeysOfTeam(tx, id) }),
  principal: async (tx, { id }) => ({ keys_ended: await endKeysOf(tx, id) }),
  agent: async (tx, { id }) => ({ keys_ended: await endKeysOf(tx, id) }),
};
