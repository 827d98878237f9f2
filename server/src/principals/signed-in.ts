import { Problem } from '@gantry/contract/problems.ts';
import type { Caller, UserCaller } from '../access/caller.ts';

/** The caller as a user; refuses anyone else. */
export function signedIn(caller: Caller): UserCaller {
  if (caller.kind !== 'user') throw new Problem('unauthenticated');
  return caller;
}
