import type { HoldAssets } from '../access/acl.ts';
import type { Database } from '../database/database.ts';
import type { Cursors } from '../http/cursor.ts';

export interface ServicePrincipalParts {
  db: Database;
  cursors: Cursors;
  /** Assets stand above and hand it down. */
  holdAssets: HoldAssets;
  /** What keys are kept under. */
  digest_key: Buffer;
}
