// A service principal's key is exchanged for a token of 15 minutes, so that requests do not carry the key. The token
// ends with the key. Guesses are limited per address, like sign-in, although 256 random bits cannot be guessed.
import { Problem } from '@gantry/contract/problems.ts';
import type { Origin } from '../../governance/access/caller.ts';
import { append } from '../../governance/audit/append.ts';
import { networkOf } from '../../governance/http/request/peer.ts';
import { findWorkingKey, noteKeyUse } from '../service-principals/find.ts';
import { keyDigest, serviceKeys } from '../../ground/config/key-form.ts';
import type { LoginParts } from './login.ts';
import * as store from './store.ts';
import { newSessionId } from './token.ts';

const lifetime_seconds = 15 * 60;
const window_seconds = 15 * 60;
const max_failures = 100;

export async function exchangeKey(
  { db, tokens, key_digest, waitingKeys }: Pick<LoginParts, 'db' | 'tokens' | 'key_digest' | 'waitingKeys'>,
  key: string,
  origin: Origin,
) {
  const from = `keys from ${networkOf(origin.ip)}`;
  const wait = await store.blockedFor(db, [{ key: from, max: max_failures }]);
  if (wait !== undefined) throw new Problem('rate_limited', { retry_after_seconds: wait });
  // A key in another format needs no query.
  const found = serviceKeys.isKey(key) ? await findWorkingKey(db, keyDigest(key_digest, key)) : undefined;
  const about = { team: null, asset: null, ip: origin.ip, request_id: origin.request_id };
  if (found === undefined) {
    await db.transaction(async (tx) => {
      await store.countFailure(tx, [from], window_seconds);
      const actor = { kind: 'anonymous', id: null, name: 'a service principal key' };
      await append(tx, { ...about, event: 'login.failed', outcome: 'refused', actor, detail: { provider: 'key' } }, []);
    });
    throw refused();
  }
  const session_id = newSessionId();
  const actor = { kind: 'principal', id: found.principal_id, name: `principal:${found.name}` };
  const expires_at = await db.transaction(async (tx) => {
    const opened = await store.insertKeySession(tx, session_id, found.id, lifetime_seconds);
    if (opened === undefined) throw refused();
    await noteKeyUse(tx, found.id, origin.ip);
    await store.forgetOld(tx);
    const done = { ...about, actor, outcome: 'done' } as const;
    await append(tx, { ...done, event: 'login.succeeded', detail: { provider: 'key' } }, []);
    const detail = { scope: 'api', session_id, expires_at: opened.expires_at };
    await append(tx, { ...done, event: 'token.issued', detail }, []);
    return opened.expires_at;
  });
  const access_token = await tokens.issue(
    { session_id, subject: found.principal_id, kind: 'principal', way: 'bearer' },
    lifetime_seconds,
  );
  const waiting_keys = await waitingKeys({ scope: 'principal', id: found.principal_id });
  return { access_token, token_type: 'bearer' as const, must_change_password: false, expires_at, waiting_keys };
}

function refused(): Problem {
  return new Problem('bad_credentials', {
    detail: 'This key does not work: it is invalid or rotated, or its service principal is deleted.',
    hint: 'Ask an admin of the team for a new one: svc principal rotate <name>',
  });
}
