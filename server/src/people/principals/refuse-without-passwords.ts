import { Problem } from '@gantry/contract/problems.ts';
import { signInProvider } from '@gantry/contract/people/sign-in-providers.ts';
import type { Reader } from '../../ground/database/database.ts';
import * as store from './store.ts';

/** Throws `conflict` if no provider of sign-in keeps its passwords here. */
export async function refuseWithoutPasswords(db: Reader): Promise<void> {
  const offered = await store.offeredProviders(db);
  if (offered.some((name) => signInProvider(name)?.keeps_passwords === true)) return;
  throw new Problem('conflict', {
    detail: `Sign-in is by ${offered.join(', ')}, not by password.`,
    hint: 'Manage accounts and passwords there.',
  });
}
