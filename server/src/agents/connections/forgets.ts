import type { Forgets } from '../../governance/access/forgets.ts';
import * as asks from './ask-store.ts';
import * as connections from './connection-store.ts';

/** Credentials, consents, and what waits for one. */
export const forgets: Forgets[] = [
  {
    what: 'connections',
    forget: async (tx, { id }) => (await connections.removeOf(tx, id)) + (await asks.removeOf(tx, id)),
  },
];
