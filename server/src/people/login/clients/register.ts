// RFC 7591 for anybody, since most clients know no other way. A registration gives nothing: a person decides later. So it is only kept small.
import { randomBytes } from 'node:crypto';
import { Problem } from '@gantry/contract/problems.ts';
import type { Origin } from '../../../governance/access/caller.ts';
import { networkOf } from '../../../governance/http/request/peer.ts';
import type { ClientParts } from './parts.ts';
import { readRedirectUri } from './redirect-uri.ts';
import * as store from './client-store.ts';

const limits = { per_network: 30, unused: 1000 };

interface Registration {
  redirect_uris: string[];
  client_name?: string | undefined;
}

/** Throws `invalid_redirect_uri` or `rate_limited`. */
export async function registerClient(
  { db }: Pick<ClientParts, 'db'>,
  { redirect_uris, client_name = 'a client without a name' }: Registration,
  origin: Origin,
) {
  for (const uri of redirect_uris) readRedirectUri(uri);
  const client = { id: `c_${randomBytes(16).toString('hex')}`, name: client_name, redirect_uris };
  const from = networkOf(origin.ip) ?? 'unknown';
  if (!(await db.transaction(async (tx) => await store.insert(tx, client, { from, limits }))))
    throw new Problem('rate_limited', { retry_after_seconds: 3600, detail: 'Too many clients were registered.' });
  return {
    client_id: client.id,
    client_id_issued_at: Math.floor(Date.now() / 1000),
    client_name,
    redirect_uris,
    token_endpoint_auth_method: 'none' as const,
    grant_types: ['authorization_code', 'refresh_token'],
    response_types: ['code'],
  };
}
