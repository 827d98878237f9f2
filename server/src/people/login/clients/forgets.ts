import type { Forgets } from '../../../governance/access/forgets.ts';
import { removeOf } from './grant-store.ts';

/** What programs may do for the person; an open request goes with its person. */
export const forgets: Forgets[] = [{ what: 'clients', forget: async (tx, { id }) => await removeOf(tx, id) }];
