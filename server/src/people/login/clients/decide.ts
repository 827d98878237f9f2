import type { ClientScope } from '@gantry/contract/people/clients.ts';
import { Problem } from '@gantry/contract/problems.ts';
import { authorize } from '../../../governance/access/authorize.ts';
import type { Caller } from '../../../governance/access/caller.ts';
import { change } from '../../../governance/access/change.ts';
import { theOrg } from '../../../governance/access/subject.ts';
import { signedInUser } from '../../principals/signed-in.ts';
import { ownSession } from './ask.ts';
import * as asks from './ask-store.ts';
import * as clients from './client-store.ts';
import * as grants from './grant-store.ts';
import type { ClientParts } from './parts.ts';
import { chooseScopes, originOf } from './resource.ts';
import { digestOf, newSecret } from './secrets.ts';

const code_seconds = 60;

interface Decision {
  id: string;
  decision: 'allow' | 'refuse';
  /** Undefined: all that the client asks for. */
  scopes?: ClientScope[] | undefined;
}

/** The address for the browser. Throws `not_found` for a request of another person or session, and for one that was decided. */
export async function decideAsk(
  { db, base_url }: ClientParts,
  caller: Caller,
  { id, decision, scopes: chosen }: Decision,
): Promise<{ address: string }> {
  const user = signedInUser(caller);
  const allowed = authorize(user, 'client.change', theOrg);
  const ask = await asks.find(db, { id, user_id: user.id, session_id: ownSession(user) });
  if (ask === undefined) throw decidedBefore();
  const { client_id, client_name, redirect_uri, resource, code_challenge, state } = ask;
  const scopes = chooseScopes(ask.scopes, chosen?.join(' ') ?? '');
  const code = newSecret('code');
  const isAllowed = decision === 'allow';
  await change(db, allowed, isAllowed ? 'client.allowed' : 'client.refused', async (tx, note) => {
    if (!(await asks.take(tx, id))) throw decidedBefore();
    note({ client: client_name, client_id, redirect_uri, resource, ...(isAllowed && { scopes }) });
    if (!isAllowed) return;
    const made = { user_id: user.id, client_id, client_name, redirect_uri, resource, scopes };
    // Without a sign-in it ends with its code.
    const grant = await grants.insert(tx, made, 2);
    await grants.insertCode(tx, { digest: digestOf(code), grant_id: grant.id, code_challenge, seconds: code_seconds });
    await clients.noteAllowed(tx, client_id);
  });
  const address = new URL(redirect_uri);
  const answer: Record<string, string> = isAllowed ? { code } : { error: 'access_denied' };
  const sent: Record<string, string> = { ...answer, ...(state !== null && { state }), iss: originOf(base_url()) };
  for (const [name, value] of Object.entries(sent)) address.searchParams.set(name, value);
  return { address: address.href };
}

function decidedBefore(): Problem {
  return new Problem('not_found', {
    detail: 'This request was decided, has expired, or was opened in another session.',
    hint: 'Sign in with the client again.',
  });
}
