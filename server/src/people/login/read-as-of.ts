import type { Identity, SignedInCaller } from '../../governance/access/caller.ts';
import type { Copies, Found, Wanted } from '../../ground/copies/copies.ts';
import { callerOf, identityOf, sessionEnded } from './authenticate.ts';

/**
 * The caller and the requested records, as of one moment after the request arrived. So a decision never mixes two moments. Throws
 * `unauthenticated` when the session has ended since the caller was read.
 */
export type ReadAsOf = <W extends Record<string, Wanted<unknown>>>(
  caller: SignedInCaller,
  wants: W,
) => Promise<{ caller: SignedInCaller } & Found<W>>;

export function readAsOf(copies: Copies): ReadAsOf {
  return async (caller, wants) => {
    const { presence, id: subject } = caller;
    if (presence === null) throw sessionEnded();
    const read = await copies.read({ presence, subject }, { ...wants, identity: identityOf(caller.id) }, caller.moment);
    if (read === undefined) throw sessionEnded();
    if (read.moment === caller.moment) return { ...read.found, caller };
    // The record was requested under this name, just above.
    const { identity } = read.found as { identity: Identity | undefined };
    const now = callerOf({ moment: read.moment, identity }, presence, caller.origin);
    return { ...read.found, caller: { ...now, active_team: caller.active_team } };
  };
}
