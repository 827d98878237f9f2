// The dependencies of deploy/. app.ts creates them.
import type { RecordRefusal } from '../access/refused.ts';
import type { Database } from '../database/database.ts';
import type { Cursors } from '../http/cursor.ts';
import type { KeyMaker } from '../keys/parts.ts';
import type { Stores } from '../secrets/stores/index.ts';
import type { Builder } from './build/build-image.ts';
import type { AgentLeases } from './keep/agent-leases.ts';
import type { Targets } from './targets/index.ts';

/** A key of `targets`. */
export type TargetName = string;

export interface DeployParts {
  db: Database;
  cursors: Cursors;
  builder: Builder;
  targets: Targets;
  leases: AgentLeases;
  secret_stores: Stores;
  key_maker: KeyMaker;
  /** The files of deploys, in a folder for each agent. */
  artefact_directory: string;
  recordRefusal: RecordRefusal;
  /** The sub-key of SECRET_KEY that ingress secrets are derived from. */
  ingress_key: Buffer;
  /** Known once the service listens. */
  base_url: () => string;
  start_deadline_ms: number;
  /** The calm time after which an agent loses an instance. */
  calm_before_removal_ms: number;
  /** The time that a replaced revision stays ready for a rollback. */
  warm_ms: number;
  drain_limit_ms: number;
  /** True until the answers of the instance's stored calls are stored. */
  hasOpenCalls: (instance_id: string) => Promise<boolean>;
}
