import type { Database, Reader } from '../../ground/database/database.ts';
import type { Cursors } from '../../governance/http/cursor.ts';
import type { Stores } from './stores/index.ts';

/** The deployed agents that get these secrets. A higher folder knows them. */
type FindUsers = (db: Reader, secret_ids: readonly string[]) => Promise<{ secret_id: string; agent_id: string }[]>;

export interface SecretParts {
  db: Database;
  cursors: Cursors;
  stores: Stores;
  findUsers: FindUsers;
}
