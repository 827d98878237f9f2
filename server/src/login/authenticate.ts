// A request's headers → who asks. Nothing in a token is believed but its session: user, roles and teams are read anew.
import { Problem } from '@gantry/contract/problems.ts';
import type { Caller, Origin } from '../access/caller.ts';
import type { Reader } from '../database/database.ts';
import { loadCaller } from '../principals/load-caller.ts';
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
    const user_id = verified === undefined ? undefined : await store.sessionUser(db, verified.session_id);
    if (verified === undefined || user_id !== verified.user_id)
      throw new Problem('unauthenticated', { detail: 'The token is not valid, or the session has ended.' });
    const caller = await loadCaller(db, user_id, origin, {
      team: headers.get('x-service-team') ?? undefined,
      session_id: verified.session_id,
    });
    if (caller === undefined) throw new Problem('unauthenticated', { detail: 'The account is disabled.' });
    return caller;
  };
}
