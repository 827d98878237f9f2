import type { HoldAssets } from '../access/acl.ts';
import type { Database } from '../database/database.ts';
import type { Cursors } from '../http/cursor.ts';

export interface ServicePrincipalParts {
  db: Database;
  cursors: Cursors;
  /** A higher folder provides it. */
  holdAssets: HoldAssets;
  /** The HMAC key for stored keys. */
  digest_key: Buffer;
}
