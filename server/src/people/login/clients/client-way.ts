// A client that a person has allowed one address: the caller is the person, as of the request, and limited to the scopes of the token.
import type { SignedInCaller } from '../../../governance/access/caller.ts';
import { firstInAMinute } from '../../../governance/access/collapse.ts';
import { bearerOf } from '../../../governance/http/request/request-headers.ts';
import type { Sender } from '../../../governance/http/request/session-cookie.ts';
import type { Way } from '../../../governance/http/surface.ts';
import type { Database } from '../../../ground/database/database.ts';
import { sessionEnded, type Session } from '../authenticate.ts';
import { isClientToken, type ClientTokens } from './client-token.ts';
import { noteUse } from './grant-store.ts';
import { originOf } from './resource.ts';

interface ClientWayParts {
  db: Database;
  tokens: ClientTokens;
  /** A token of a session of the person counts too. */
  bearer: Way;
  /** The caller of a session, with the sessions and identities of this moment. */
  enter: (session: Session, sender: Sender) => Promise<SignedInCaller>;
  base_url: () => string;
}

export function clientWay({ db, tokens, bearer, enter, base_url }: ClientWayParts): Way {
  const isFirst = firstInAMinute();
  return {
    isUsed: bearer.isUsed,
    authenticate: async (sender) => {
      const token = bearerOf(sender.headers);
      if (token === undefined || !isClientToken(token)) return await bearer.authenticate(sender);
      const found = await tokens.verify(token, `${originOf(base_url())}${sender.path}`);
      if (found === undefined) throw sessionEnded();
      const { session_id, user_id, grant_id, scopes } = found;
      const caller = await enter({ session_id, subject: user_id, kind: 'user' }, sender);
      if (isFirst(grant_id)) await noteUse(db, grant_id);
      return { ...caller, client: { scopes } };
    },
  };
}
