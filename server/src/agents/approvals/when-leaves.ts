import type { WhenLeaves } from '../../governance/access/when-leaves.ts';
import { closePending } from './store.ts';

export const whenLeaves: WhenLeaves = {
  feature: 'approvals',
  agent: async (tx, { id }) => {
    await closePending(tx, id, 'withdrawn');
    return {};
  },
};
