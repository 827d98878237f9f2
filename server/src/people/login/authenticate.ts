// A request's headers → the caller. A token proves only its session; user, roles and teams are as of the request.
import { Problem } from '@gantry/contract/problems.ts';
import type { Identity, Origin, SignedInCaller } from '../../governance/access/caller.ts';
import { wanted, type Copies, type Kind, type Moment, type Presence, type Wanted } from '../../ground/copies/copies.ts';
import type { Reader } from '../../ground/database/database.ts';
import { bearerOf } from '../../governance/http/request/request-headers.ts';
import type { Sender, SessionCookies } from '../../governance/http/request/session-cookie.ts';
import { findTeamToActFor } from '../principals/load-caller.ts';
import { loadIdentities } from '../service-principals/load-caller.ts';
import type { Tokens } from './token.ts';

const identities: Kind<string, Identity> = { name: 'identity', textOf: (id) => id, load: loadIdentities };

export { isPresent, openSessions } from './store.ts';

/** Loads the caller together with other records, as of one moment. */
export function identityOf(id: string): Wanted<Identity> {
  return wanted(identities, id);
}

/** A session as a bearer token, or in a browser's cookie. Both throw `unauthenticated` without a valid token. */
export function sessionWays({ db, tokens, copies, cookies }: SessionParts) {
  const enter = entrance(db, copies);
  const authenticate = async (way: 'bearer' | 'cookie', token: string | undefined, sender: Sender) => {
    const session = token === undefined || !token_form.test(token) ? undefined : await tokens.verify(token, way);
    if (session === undefined) throw sessionEnded();
    return await enter(session, sender);
  };
  return {
    bearer: {
      isUsed: ({ headers }: Sender) => headers.has('authorization'),
      authenticate: async (sender: Sender) => await authenticate('bearer', bearerOf(sender.headers), sender),
    },
    cookie: {
      isUsed: (sender: Sender) => cookies(sender).is_sent,
      authenticate: async (sender: Sender) => await authenticate('cookie', cookies(sender).read(), sender),
    },
  };
}

interface SessionParts {
  db: Reader;
  tokens: Tokens;
  copies: Copies;
  cookies: SessionCookies;
}

const token_form = /^[\w-]+\.[\w-]+\.[\w-]+$/;

export interface Session {
  session_id: string;
  subject: string;
  kind: 'user' | 'principal';
}

/** The caller of a proven session, as of this moment. Throws `unauthenticated`. */
export function entrance(db: Reader, copies: Copies) {
  return async (session: Session, { headers, origin }: Sender): Promise<SignedInCaller> => {
    const presence: Presence = { session: session.session_id };
    const read = await copies.read({ presence, subject: session.subject }, { identity: identityOf(session.subject) });
    // Only a token of this service comes here, so its reader may know why it no longer works.
    if (read === undefined) throw (await isAccountActive(db, session.subject)) ? sessionEnded() : accountDisabled();
    // A token names the kind of its subject, and proves no other kind.
    if (read.found.identity !== undefined && read.found.identity.kind !== session.kind) throw sessionEnded();
    const caller = callerOf({ moment: read.moment, ...read.found }, presence, origin);
    const team = headers.get('x-service-team');
    return team === null ? caller : { ...caller, active_team: await findTeamToActFor(db, caller, team) };
  };
}

/** Throws `unauthenticated` for a disabled account. */
export function callerOf(
  { moment, identity }: { moment: Moment; identity: Identity | undefined },
  presence: Presence,
  origin: Origin,
): SignedInCaller {
  if (identity === undefined) throw accountDisabled();
  const reading = identity.reading.filter(({ expires_at }) => expires_at === null || expires_at > moment.now);
  return { ...identity, reading, active_team: identity.primary_team, presence, moment, origin };
}

async function isAccountActive(db: Reader, id: string): Promise<boolean> {
  const [identity] = await loadIdentities(db, [id]);
  return identity !== undefined;
}

function accountDisabled(): Problem {
  return new Problem('unauthenticated', { detail: 'The account is disabled.' });
}

export function sessionEnded(): Problem {
  return new Problem('unauthenticated', { detail: 'The token is not valid, or the session has ended.' });
}
