import type { WhenLeaves } from '../../governance/access/when-leaves.ts';
import { principalsOfTeam } from './find.ts';
import { endKeysShownTo } from './store.ts';

export const whenLeaves: WhenLeaves = {
  feature: 'service-principals',
  user: async (tx, { id, team_id }) => ({ keys_ended: await endKeysShownTo(tx, id, team_id) }),
  heldByTeam: principalsOfTeam,
};
