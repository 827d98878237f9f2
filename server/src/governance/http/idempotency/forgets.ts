import type { Forgets } from '../../access/forgets.ts';
import { deleteRepliesOf } from './idempotency-store.ts';

/** Replies that were kept for a repeat of a request. */
export const forgets: Forgets[] = [{ what: 'replies', forget: async (tx, { id }) => await deleteRepliesOf(tx, id) }];
