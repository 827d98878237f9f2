// The dependencies of deploy/. app.ts creates them.
import type { RecordRefusal } from '../../governance/access/refused.ts';
import type { Leaves } from '../../governance/access/when-leaves.ts';
import type { Database } from '../../ground/database/database.ts';
import type { Cursors } from '../../governance/http/cursor.ts';
import type { KeyMaker } from '../../models/keys/parts.ts';
import type { Stores } from '../../assets/secrets/stores/index.ts';
import type { AgentConnections } from './connections/agent-connections.ts';
import type { Dialled } from './dial-in/dialled.ts';
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
  /** The connections that instances have opened. Undefined in a process without all roles. */
  dialled?: Dialled | undefined;
  /** To the instances, for the service's own questions. */
  connections: AgentConnections;
  secret_stores: Stores;
  /** Ends what a deleted agent had. The roles provide it. */
  leaves: Leaves;
  key_maker: KeyMaker;
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
