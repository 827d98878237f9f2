// The plug for the values of secrets. The rest of the folder keeps names, scopes and times.
import type { GovernedTx } from '../../../governance/access/change.ts';
import type { Reader } from '../../../ground/database/database.ts';

export interface Values {
  /** Replaces the previous value. */
  put(tx: GovernedTx, secret_id: string, value: string): Promise<void>;
  /** By the id of the secret. Throws when one is missing. */
  read(db: Reader, secret_ids: readonly string[]): Promise<Map<string, string>>;
  remove(tx: GovernedTx, secret_id: string): Promise<void>;
}
