// What follows when a provider has proven an identity, the same for each of them: the user with that identity, a session, its token, and
// the entries of the log. Must never happen: a session for an identity that no user has, or for a disabled user.
import type { Origin } from '../../governance/access/caller.ts';
import { append } from '../../governance/audit/append.ts';
import type { Database, Tx } from '../../ground/database/database.ts';
import type { LoginParts } from './login.ts';
import type { ProvenIdentity } from './providers/provider.ts';
import * as store from './store.ts';
import { newSessionId, token_lifetime_seconds, type Tokens } from './token.ts';

export interface Entering {
  /** The only way to send the token of this sign-in. */
  way: 'bearer' | 'cookie';
  origin: Origin;
  /** What else the sign-in changes, in the same transaction. */
  alsoDo?: (tx: Tx) => Promise<void>;
}

/** The answer to a sign-in. Undefined when nobody may enter with this identity, or its proof no longer holds. */
export async function enterWith(
  { db, tokens, waitingKeys }: Pick<LoginParts, 'db' | 'tokens' | 'waitingKeys'>,
  identity: ProvenIdentity,
  entering: Entering,
) {
  const opened = await openSession(db, tokens, identity, entering);
  if (opened === undefined) return undefined;
  const { user_id, ...answer } = opened;
  return { ...answer, waiting_keys: await waitingKeys({ scope: 'user', id: user_id }) };
}

async function openSession(db: Database, tokens: Tokens, identity: ProvenIdentity, { way, origin, alsoDo }: Entering) {
  const session_id = newSessionId();
  const session = await db.transaction(async (tx) => {
    const opened = await store.insertSession(tx, session_id, identity, token_lifetime_seconds);
    if (opened === undefined) return undefined;
    await alsoDo?.(tx);
    await store.forgetOld(tx);
    const body = {
      actor: { kind: 'user', id: opened.user_id, name: opened.email },
      team: null,
      asset: null,
      ip: origin.ip,
      request_id: origin.request_id,
      outcome: 'done',
    } as const;
    await append(tx, { ...body, event: 'login.succeeded', detail: { provider: identity.provider } }, []);
    const detail = { scope: 'api', session_id, expires_at: opened.expires_at };
    await append(tx, { ...body, event: 'token.issued', detail }, []);
    return opened;
  });
  if (session === undefined) return undefined;
  const { user_id, must_change_password, expires_at } = session;
  const access_token = await tokens.issue({ session_id, subject: user_id, kind: 'user', way });
  return { user_id, access_token, token_type: 'bearer' as const, must_change_password, expires_at };
}
