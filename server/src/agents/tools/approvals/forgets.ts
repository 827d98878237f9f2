import type { Forgets } from '../../../governance/access/forgets.ts';
import { forgetOf } from './approval-store.ts';

/** Calls that wait or have waited for a person, with their arguments. */
export const forgets: Forgets[] = [{ what: 'calls_to_approve', forget: async (tx, { id }) => await forgetOf(tx, id) }];
