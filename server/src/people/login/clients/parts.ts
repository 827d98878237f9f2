import type { Database } from '../../../ground/database/database.ts';
import type { Outbound } from '../../../ground/outbound/outbound.ts';
import type { ClientTokens } from './client-token.ts';

export interface ClientParts {
  db: Database;
  tokens: ClientTokens;
  /** For documents of clients. */
  outbound: Outbound;
  base_url: () => string;
}
