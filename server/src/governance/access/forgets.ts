// What a feature erases of a user who asks to be forgotten. Each feature says it in its own `forgets.ts`; roles/leaving.ts has the list. Who did what,
// and when, stays: the log and the rows of governed things keep identities.
import type { Tx } from '../../ground/database/database.ts';

export interface Forgets {
  /** As the receipt names the rows. */
  what: string;
  /** The number of rows that had something of the user. Throws `conflict` while a call of the user is open. */
  forget: (tx: Tx, user: { id: string }) => Promise<number>;
}
