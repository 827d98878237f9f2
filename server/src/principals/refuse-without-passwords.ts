import { Problem } from '@gantry/contract/problems.ts';
import type { Reader } from '../database/database.ts';
import * as store from './store.ts';

/** Throws `conflict` if sign-in does not use passwords. */
export async function refuseWithoutPasswords(db: Reader): Promise<void> {
  // From the row, which may contain more values than this version lets an admin set.
  const { auth_provider }: { auth_provider: string } = await store.settings(db);
  if (auth_provider === 'local') return;
  throw new Problem('conflict', {
    detail: `Sign-in is by ${auth_provider}, not by password.`,
    hint: 'Manage accounts and passwords there.',
  });
}
