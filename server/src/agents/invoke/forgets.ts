import type { Forgets } from '../../governance/access/forgets.ts';
import { deleteEndedOf } from './store.ts';

/** Answers of calls that were stored for the caller, and tasks of A2A. */
export const forgets: Forgets[] = [{ what: 'calls', forget: async (tx, { id }) => await deleteEndedOf(tx, id) }];
