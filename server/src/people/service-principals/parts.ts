import type { GovernedTx } from '../../governance/access/change.ts';
import type { Leaves } from '../../governance/access/when-leaves.ts';
import type { Database } from '../../ground/database/database.ts';
import type { Cursors } from '../../governance/http/cursor.ts';

export interface ServicePrincipalParts {
  db: Database;
  cursors: Cursors;
  /** Higher folders provide these functions. */
  leaves: Leaves;
  /** Issues its gateway key, which waits to be claimed. Returns its name. */
  issueGatewayKey(tx: GovernedTx, principal: NewPrincipal): Promise<string>;
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
