// The token endpoint. Promise: a code and a refresh token work once; a second use ends the grant with all its tokens, because somebody else may have had the
// first. A code that is sent with anything wrong is used up as well.
import { Problem } from '@gantry/contract/problems.ts';
import type { Origin } from '../../../governance/access/caller.ts';
import type { Tx } from '../../../ground/database/database.ts';
import { newSessionId } from '../token.ts';
import { access_seconds } from './client-token.ts';
import { endGrant, recordOf } from './end-grant.ts';
import * as store from './grant-store.ts';
import type { GrantRow } from './grant-store.ts';
import type { ClientParts } from './parts.ts';
import { readForm, required } from './read-form.ts';
import { chooseScopes } from './resource.ts';
import { digestOf, newSecret, provesChallenge } from './secrets.ts';

/** Of a grant that nobody uses. */
const idle_days = 30;

/** Throws `invalid`, `invalid_grant`, `invalid_target`, `invalid_scope` or `unsupported_grant_type`. */
export async function exchange(parts: ClientParts, bytes: Uint8Array, origin: Origin) {
  const form = readForm(bytes);
  const exchanged = exchanges[required(form, 'grant_type')];
  if (exchanged === undefined) throw new Problem('unsupported_grant_type');
  // What is used up or ended stays so, also when the answer is a refusal.
  const done = await parts.db.transaction(async (tx) => await exchanged({ tx, form, origin }));
  if (done instanceof Problem) throw done;
  const { grant, scopes, session_id, refresh_token } = done;
  const token = { session_id, user_id: grant.user_id, grant_id: grant.id, scopes };
  return {
    access_token: await parts.tokens.issue(token, grant.resource),
    token_type: 'Bearer' as const,
    expires_in: access_seconds,
    refresh_token,
    scope: scopes.join(' '),
  };
}

interface Exchanging {
  tx: Tx;
  form: ReadonlyMap<string, string>;
  origin: Origin;
}

type Exchanged = Problem | Awaited<ReturnType<typeof signIn>>;

const exchanges: Partial<Record<string, (exchanging: Exchanging) => Promise<Exchanged>>> = {
  authorization_code: async ({ tx, form, origin }) => {
    const code = digestOf(required(form, 'code'));
    const sent = { client_id: required(form, 'client_id'), redirect_uri: required(form, 'redirect_uri') };
    const verifier = required(form, 'code_verifier');
    const taken = await store.takeCode(tx, code);
    if (taken === undefined) return invalidGrant();
    const { grant, code_challenge } = taken;
    const wrong = (reason: string) => endGrant(tx, grant, { origin, reason }).then(() => invalidGrant());
    if (code_challenge === undefined) return await wrong('its code came late or a second time');
    if (grant.client_id !== sent.client_id) return await wrong('its code came from another client');
    if (grant.redirect_uri !== sent.redirect_uri) return await wrong('its code came with another redirect address');
    if (!provesChallenge(verifier, code_challenge)) return await wrong('its code came without its proof (PKCE)');
    if (!isSameResource(grant, form)) return new Problem('invalid_target');
    return await signIn({ tx, grant, origin, by: 'code' });
  },
  refresh_token: async ({ tx, form, origin }) => {
    const token = digestOf(required(form, 'refresh_token'));
    const client_id = required(form, 'client_id');
    const taken = await store.takeRefreshToken(tx, token);
    if (taken === undefined) return invalidGrant();
    const { grant, is_first } = taken;
    const wrong = (reason: string) => endGrant(tx, grant, { origin, reason }).then(() => invalidGrant());
    if (!is_first) return await wrong('its refresh token came a second time');
    if (grant.client_id !== client_id) return await wrong('its refresh token came from another client');
    // Throws, so the token is not used up: the client can ask again.
    if (!isSameResource(grant, form)) throw new Problem('invalid_target');
    const scopes = chooseScopes(grant.scopes, form.get('scope') ?? '');
    return await signIn({ tx, grant, origin, by: 'refresh', scopes });
  },
};

function isSameResource({ resource }: GrantRow, form: ReadonlyMap<string, string>): boolean {
  return (form.get('resource') ?? resource) === resource;
}

interface SigningIn extends Omit<Exchanging, 'form'> {
  grant: GrantRow;
  by: 'code' | 'refresh';
  scopes?: GrantRow['scopes'];
}

async function signIn({ tx, grant, origin, by, scopes = grant.scopes }: SigningIn) {
  const session_id = newSessionId();
  const opening = { session_id, seconds: access_seconds, days: idle_days };
  const user = await store.openSession(tx, grant, opening);
  if (user === undefined) throw invalidGrant();
  const refresh_token = newSecret('refresh');
  await store.insertRefreshToken(tx, { digest: digestOf(refresh_token), grant_id: grant.id });
  await recordOf(tx, grant, {
    event: 'client.signed_in',
    name: user.email,
    origin,
    detail: { by, scopes, session_id },
  });
  return { grant, scopes, session_id, refresh_token };
}

function invalidGrant(): Problem {
  return new Problem('invalid_grant');
}
