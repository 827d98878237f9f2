import type { Database } from '../../ground/database/database.ts';
import type { Envelope } from '../../ground/envelope/envelope.ts';

export interface MemoryParts {
  db: Database;
  envelope: Envelope;
}
