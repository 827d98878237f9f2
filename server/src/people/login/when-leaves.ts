import type { WhenLeaves } from '../../governance/access/when-leaves.ts';
import { endSessions } from './sessions.ts';

export const whenLeaves: WhenLeaves = {
  feature: 'login',
  user: async (tx, { id, how }) => (how === 'left_team' ? {} : { sessions_ended: await endSessions(tx, id) }),
};
