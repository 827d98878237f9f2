import type { HoldAssets } from '../access/acl.ts';
import type { GovernedTx } from '../access/change.ts';
import type { Database } from '../database/database.ts';
import type { Cursors } from '../http/cursor.ts';

export interface ServicePrincipalParts {
  db: Database;
  cursors: Cursors;
  /** Higher folders provide these functions. */
  holdAssets: HoldAssets;
  /** Issues its gateway key, which waits to be claimed. Returns its name. */
  issueGatewayKey(tx: GovernedTx, principal: NewPrincipal): Promise<string>;
  /** Returns the names of the ended keys. */
  endGatewayKeys(tx: GovernedTx, principal_id: string): Promise<string[]>;
  /** The HMAC key for stored keys. */
  digest_key: Buffer;
}

interface NewPrincipal {
  id: string;
  name: string;
  team_id: string;
  /** The user who creates it. */
  issued_by: string;
}
