import type { Forgets } from '../../../governance/access/forgets.ts';
import * as asks from './ask-store.ts';
import * as grants from './grant-store.ts';

/** What programs may do for the person, and what they have asked. */
export const forgets: Forgets[] = [
  {
    what: 'clients',
    forget: async (tx, { id }) => (await grants.removeOf(tx, id)) + (await asks.removeOf(tx, id)),
  },
];
