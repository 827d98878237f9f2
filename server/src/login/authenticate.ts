// A request's headers → who asks. Nothing in a token is believed but its session: user, roles and teams are read anew.
import { Problem } from '@gantry/contract/problems.ts';
import type { Caller, Origin } from '../access/caller.ts';
import type { Reader } from '../database/database.ts';
import { findTeamToActFor, loadCaller } from '../principals/load-caller.ts';
import { loadPrincipal } from '../service-principals/load-caller.ts';
import * as store from './store.ts';
import type { Tokens } from './token.ts';

export type Authenticate = (headers: Headers, origin: Origin) => Promise<Caller>;

/** Anonymous without a token; throws `unauthenticated` for a token that is not good. */
export function authenticator(db: Reader, tokens: Tokens): Authenticate {
  return async (headers, origin) => {
    const header = headers.get('authorization');
    if (header === null) return { kind: 'anonymous', origin };
    const token = /^Bearer ([\w-]+\.[\w-]+\.[\w-]+)$/i.exec(header)?.[1];
    const verified = token === undefined ? undefined : await tokens.verify(token);
    if (verified === undefined) throw notValid();
    const { session_id, subject, kind } = verified;
    const caller =
      kind === 'user'
        ? await loadCaller(db, subject, origin, { session_id, provided: store.sessionGoesOn(verified) })
        : await loadPrincipal(db, subject, origin, { session_id, provided: store.keySessionGoesOn(verified) });
    if (caller === undefined)
      throw (await store.hasSession(db, verified))
        ? new Problem('unauthenticated', { detail: 'The account is disabled.' })
        : notValid();
    const team = headers.get('x-service-team');
    return team === null ? caller : { ...caller, active_team: await findTeamToActFor(db, caller, team) };
  };
}

function notValid(): Problem {
  return new Problem('unauthenticated', { detail: 'The token is not valid, or the session has ended.' });
}
