import type { GovernedTx } from '../../governance/access/change.ts';
import { keyDigest, prefixOf, serviceKeys } from '../../ground/config/key-form.ts';
import type { ServicePrincipalParts } from './parts.ts';
import * as store from './store.ts';

/** Returns the key. Nothing shows it again. */
export async function issueKey(
  { digest_key }: ServicePrincipalParts,
  tx: GovernedTx,
  { principal_id, issued_to }: { principal_id: string; issued_to: string },
): Promise<string> {
  const key = serviceKeys.newKey();
  await store.insertKey(tx, { principal_id, digest: keyDigest(digest_key, key), prefix: prefixOf(key), issued_to });
  return key;
}
