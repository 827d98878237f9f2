import type { Database } from '../../ground/database/database.ts';
import type { Envelope } from '../../ground/envelope/envelope.ts';
import type { Cursors } from '../../governance/http/cursor.ts';

/** What a new key needs. */
export interface KeyMaker {
  /** The HMAC key for stored keys. */
  pepper: Buffer;
  envelope: Envelope;
}

export interface KeyParts extends KeyMaker {
  db: Database;
  cursors: Cursors;
}
