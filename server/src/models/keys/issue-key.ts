import { randomUUIDv7 } from 'node:crypto';
import type { GovernedTx } from '../../governance/access/change.ts';
import { gatewayKeys, keyDigest, prefixOf } from '../../ground/config/key-form.ts';
import { openAccounts } from '../ledger/accounts.ts';
import { accountsOf } from './accounts/accounts.ts';
import type { KeyMaker } from './parts.ts';
import * as store from './store.ts';

export interface IssuedKey {
  id: string;
  prefix: string;
  key: string;
}

/** Stores a new key and opens its accounts. Throws `not_found` if its holder is gone. */
export async function issueKey(
  { pepper, envelope }: KeyMaker,
  tx: GovernedTx,
  made: Omit<store.NewKey, 'id' | 'digest' | 'prefix' | 'sealed'>,
): Promise<IssuedKey> {
  await store.holdHolder(tx, made);
  const id = randomUUIDv7();
  const key = gatewayKeys.newKey();
  const prefix = prefixOf(key);
  const sealed = envelope.seal(key, { table: 'gateway_key', id });
  await store.insertKey(tx, { ...made, id, digest: keyDigest(pepper, key), prefix, sealed });
  await openAccounts(tx, await accountsOf(tx, { ...made, id }));
  return { id, prefix, key };
}
