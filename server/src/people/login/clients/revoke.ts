import type { Origin } from '../../../governance/access/caller.ts';
import { endGrant } from './end-grant.ts';
import * as store from './grant-store.ts';
import type { ClientParts } from './parts.ts';
import { readForm, required } from './read-form.ts';
import { digestOf } from './secrets.ts';

/**
 * RFC 7009, for refresh tokens: the whole grant ends. An access token ends within the hour, or with its grant. The answer is the same for a token that does not
 * work, and for one of another client, which stays.
 */
export async function revokeToken({ db }: ClientParts, bytes: Uint8Array, origin: Origin): Promise<void> {
  const form = readForm(bytes);
  const digest = digestOf(required(form, 'token'));
  const client_id = form.get('client_id');
  await db.transaction(async (tx) => {
    const grant = await store.byRefreshToken(tx, digest);
    if (grant !== undefined && grant.client_id === client_id)
      await endGrant(tx, grant, { origin, reason: 'its client has ended it' });
  });
}
