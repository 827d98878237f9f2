import type { Caller } from '../../governance/access/caller.ts';
import { change } from '../../governance/access/change.ts';
import { signedIn } from '../../people/principals/signed-in.ts';
import { grantForKey } from './can-use-key.ts';
import { endKeys } from './end-keys.ts';
import type { KeyParts } from './parts.ts';
import { loadKey } from './record.ts';

/** The next admission on every service sees that the key is revoked. */
export async function revokeKey({ db }: KeyParts, caller: Caller, id: string): Promise<void> {
  const user = signedIn(caller);
  const row = await loadKey(db, user, id);
  await change(db, grantForKey(user, row), 'key.revoked', async (tx, note) => {
    if ((await endKeys(tx, [id])).length === 0) return;
    note({ key: row.prefix, key_alias: row.alias, scope: row.scope, for: row.scope_name });
  });
}
