import type { Forgets } from '../../../governance/access/forgets.ts';
import type { Database } from '../../../ground/database/database.ts';
import { forgetOf, forgetOld } from './question-store.ts';

/** Questions of servers, with the arguments of their calls and the answers. */
export const forgets: Forgets[] = [
  { what: 'questions_of_servers', forget: async (tx, { id }) => await forgetOf(tx, id) },
];

const keep_days = 7;

export async function forgetOldQuestions(db: Database): Promise<void> {
  await forgetOld(db, keep_days);
}
