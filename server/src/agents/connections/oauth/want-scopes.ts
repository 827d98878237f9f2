// A server can want more of a person than they have signed in for (RFC 6750, `insufficient_scope`). The person signs in again, and is asked for what they have
// allowed before and for what is wanted now. Must never happen: a person is sent to sign in when that would ask for nothing new.
import { Problem } from '@gantry/contract/problems.ts';
import * as store from '../connection-store.ts';
import type { ConnectionParts } from '../parts.ts';
import type { ServerAsUser } from '../server-as-user.ts';
import { readScopes } from './scopes.ts';

interface Wanted {
  user: { id: string; label: string };
  server: ServerAsUser;
  /** As the server says it, with spaces between the scopes. */
  scope: string;
}

/** Throws `connection_needed` when a new sign-in can help. */
export async function wantScopes({ db }: ConnectionParts, { user, server, scope }: Wanted): Promise<void> {
  const { asset, address, oauth } = server;
  const row = await store.find(db, { user_id: user.id, server_id: asset.id });
  // A key has no scopes, and where the config names them, its owner has decided.
  if (row === undefined || row.address !== address || row.issuer === null || oauth?.scopes !== undefined) return;
  const more = readScopes(...scope.split(' ')).filter((one) => !row.scopes.includes(one));
  if (more.length === 0) return;
  await store.want(db, { id: row.id, scopes: readScopes(...row.wanted_scopes, ...more) });
  throw new Problem('connection_needed', {
    detail: `${asset.ref} wants more of ${user.label} than they have signed in for: ${more.join(', ')}.`,
    hint: `They connect again, and are asked for it: svc connect ${asset.name}`,
  });
}
