import type { Database } from '../../ground/database/database.ts';
import type { Outbound } from '../../ground/outbound/outbound.ts';
import type { GatewayParts } from '../../models/gateway/parts.ts';
import type { ReadOfTeam } from '../../assets/secrets/delivery.ts';
import type { KeyMaker } from '../../models/keys/parts.ts';
import type { VectorSearch } from './search/vector-search.ts';
import type { DocumentReader } from './reading/document-reader.ts';

export interface KnowledgeParts extends KeyMaker {
  db: Database;
  /** The gateway of this process, for vectors. */
  models: () => Promise<GatewayParts>;
  base_url: () => string;
}

export interface SearchParts extends KnowledgeParts {
  vectors: VectorSearch;
}

/** What a refresh needs besides. */
export interface RefreshParts extends SearchParts {
  outbound: Outbound;
  readCredentials: ReadOfTeam;
  reader: DocumentReader;
}
