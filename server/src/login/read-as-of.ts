import type { Identity, SignedInCaller } from '../access/caller.ts';
import type { Copies, Found, Wanted } from '../copies/copies.ts';
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
    const session = { session_id: caller.session_id, subject: caller.id };
    const read = await copies.read(session, { ...wants, identity: identityOf(caller.id) }, caller.moment);
    if (read === undefined) throw sessionEnded();
    if (read.moment === caller.moment) return { ...read.found, caller };
    // The record was requested under this name, just above.
    const { identity } = read.found as { identity: Identity | undefined };
    const now = callerOf({ moment: read.moment, identity }, session, caller.origin);
    return { ...read.found, caller: { ...now, active_team: caller.active_team } };
  };
}
