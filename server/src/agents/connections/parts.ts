import type { Database, Reader } from '../../ground/database/database.ts';
import type { Envelope } from '../../ground/envelope/envelope.ts';
import type { Outbound } from '../../ground/outbound/outbound.ts';

export interface ConnectionParts {
  db: Database;
  envelope: Envelope;
  outbound: Outbound;
  /** The values of a team's secrets. */
  readCredentials: (db: Reader, team_id: string, names: readonly string[]) => Promise<ReadonlyMap<string, string>>;
  base_url: () => string;
}
