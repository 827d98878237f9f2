import type { Database } from '../database/database.ts';
import type { Cursors } from '../http/cursor.ts';

export interface PrincipalParts {
  db: Database;
  cursors: Cursors;
  /** What keys are kept under. */
  digest_key: Buffer;
}
