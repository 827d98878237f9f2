import type { Database } from '../database/database.ts';
import type { Cursors } from '../http/cursor.ts';

export interface KeyParts {
  db: Database;
  cursors: Cursors;
  /** The HMAC key for stored keys. */
  pepper: Buffer;
}
