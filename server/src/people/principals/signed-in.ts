import { Problem } from '@gantry/contract/problems.ts';
import type { Caller, SignedInCaller, UserCaller } from '../../governance/access/caller.ts';

/** Throws `unauthenticated` if the caller is not signed in. */
export function signedIn(caller: Caller): SignedInCaller {
  if (caller.kind !== 'user' && caller.kind !== 'principal') throw new Problem('unauthenticated');
  return caller;
}

/** For operations about a person. The rules table has already refused service principals there. */
export function signedInUser(caller: Caller): UserCaller {
  const user = signedIn(caller);
  if (user.kind !== 'user')
    throw new Problem('forbidden', { detail: 'This is only for people, and you are a service principal.' });
  return user;
}
