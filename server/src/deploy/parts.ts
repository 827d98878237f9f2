// The dependencies of deploy/. app.ts creates them.
import type { RecordRefusal } from '../access/refused.ts';
import type { Database } from '../database/database.ts';
import type { Cursors } from '../http/cursor.ts';
import type { KeyMaker } from '../keys/parts.ts';
import type { Stores } from '../secrets/stores/index.ts';
import type { Builder } from './build-image.ts';
import type { Targets } from './targets/index.ts';

export type TargetName = keyof Targets;

export interface DeployParts {
  db: Database;
  cursors: Cursors;
  builder: Builder;
  targets: Targets;
  secret_stores: Stores;
  key_maker: KeyMaker;
  /** The address of the model gateway for containers. */
  gateway_url: string;
  /** For containers with limited outgoing connections, which are on another network. */
  listed: { gateway_url: string; proxy_url: string };
  /** The files of deploys, in a folder for each agent. */
  artefact_directory: string;
  recordRefusal: RecordRefusal;
  /** The sub-key of SECRET_KEY that ingress secrets are derived from. */
  ingress_key: Buffer;
  /** Known once the service listens. */
  base_url: () => string;
  start_deadline_ms: number;
  drain_limit_ms: number;
}
