import { Problem } from '@gantry/contract/problems.ts';
import type { Reader } from '../database/database.ts';
import * as store from './store.ts';

/** Nobody is given a password where people sign in by something else. */
export async function refuseWithoutPasswords(db: Reader): Promise<void> {
  // As the row says it, whatever this version lets an admin set.
  const { auth_provider }: { auth_provider: string } = await store.settings(db);
  if (auth_provider === 'local') return;
  throw new Problem('conflict', {
    detail: `Sign-in is by ${auth_provider}, not by password.`,
    hint: 'Accounts and what proves them are kept there.',
  });
}
