import { Problem } from '@gantry/contract/problems.ts';
import type { Caller, SignedInCaller, UserCaller } from '../access/caller.ts';

/** The caller as somebody who is signed in; refuses anyone else. */
export function signedIn(caller: Caller): SignedInCaller {
  if (caller.kind !== 'user' && caller.kind !== 'principal') throw new Problem('unauthenticated');
  return caller;
}

/** The caller as a user, for what is about a person; the rules table refuses service principals there before. */
export function signedInUser(caller: Caller): UserCaller {
  const user = signedIn(caller);
  if (user.kind !== 'user')
    throw new Problem('forbidden', { detail: 'This is about people, and you are a service principal.' });
  return user;
}
