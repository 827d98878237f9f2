import type { Forgets } from '../../governance/access/forgets.ts';
import { deleteOf } from './feedback-store.ts';
import { eraseErrorsOf } from './figures-store.ts';
import { eraseContentsOf } from './store.ts';

/** Texts of the spans of a caller's runs. Times, costs and how they ended stay. */
export const forgets: Forgets[] = [
  {
    what: 'spans',
    forget: async (tx, { id }) => {
      await eraseErrorsOf(tx, id);
      return await eraseContentsOf(tx, id);
    },
  },
  { what: 'feedback', forget: async (tx, { id }) => await deleteOf(tx, id) },
];
