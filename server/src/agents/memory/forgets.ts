import { Problem } from '@gantry/contract/problems.ts';
import type { Forgets } from '../../governance/access/forgets.ts';
import { deleteItemsOf, deleteItemsWrittenBy } from './item-store.ts';
import { deleteThreadsOf, worksFor } from './thread-store.ts';

/** Threads and items of all agents, whichever way the user came to them. */
export const forgets: Forgets[] = [
  {
    what: 'threads',
    forget: async (tx, { id }) => {
      if (await worksFor(tx, id))
        throw new Problem('conflict', {
          detail: 'A call of the user is open. It would keep something again.',
          hint: 'Cancel it, or wait until it has ended.',
        });
      return await deleteThreadsOf(tx, id);
    },
  },
  { what: 'items', forget: async (tx, { id }) => await deleteItemsOf(tx, id) },
  { what: 'shared_items', forget: async (tx, { id }) => await deleteItemsWrittenBy(tx, id) },
];
