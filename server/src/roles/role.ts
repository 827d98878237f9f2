// A role is a part of the service that can have its own process. Its file opens its parts; app.ts starts the requested roles.
import type { Destination } from '../audit/push/destination.ts';
import type { Config } from '../config.ts';
import type { Database, PoolSettings } from '../database/database.ts';
import type { Target } from '../deploy/targets/target.ts';
import type { Envelope } from '../envelope/envelope.ts';
import type { StoredKeys } from '../envelope/stored-keys.ts';
import type { AllHandlers } from '../http/handlers.ts';
import type { Ways } from '../http/surface.ts';
import type { ReadAsOf } from '../login/read-as-of.ts';
import type { Tokens } from '../login/token.ts';
import type { Passwords } from '../login/password.ts';
import type { Gateway } from '../gateway/gateway.ts';
import type { GuardrailRecord } from '../guardrails/record.ts';
import type { Log } from '../log.ts';
import type { Spans } from '../traces/spans.ts';
import type { RecordRefusal } from '../access/refused.ts';
import type { Outgoing } from '../outgoing.ts';
import type { Deploying } from './deploying.ts';

export type RoleHandlers = Partial<AllHandlers>;

export interface Role {
  /** The endpoints of the role, besides the probes of each process. */
  handlers: RoleHandlers;
  /** What containers of agents call, at a port of its own on their networks. */
  inside?: { port: number; handlers: RoleHandlers; ways?: Partial<Ways> };
  /** Throws while the role cannot work. Returns its warnings. */
  ready?: () => Promise<string[]>;
  /** Starts the role's own work, after the process listens. */
  start?: () => Promise<void> | void;
  /** Reads the organisation settings file again. */
  readSettings?: () => Promise<void>;
}

export interface RoleParts {
  config: Config;
  log: Log;
  db: Database;
  /** Further connections, which slow statements do not delay. The process closes them when it stops. */
  openPool: (settings: PoolSettings) => Database;
  secret_key: string;
  envelope: Envelope;
  keys: StoredKeys;
  passwords: Passwords;
  tokens: Tokens;
  readAsOf: ReadAsOf;
  installation_id: string;
  /** The destinations of audit log copies. */
  receivers: Destination[];
  recordRefusal: RecordRefusal;
  guardrails: GuardrailRecord;
  spans: Spans;
  /** Besides those of targets/. */
  more_targets: Record<string, Target>;
  /** Known after the process listens. */
  base_url: () => string;
  /** The name of this process in the records of work. Another process never has it. */
  owner: string;
  /** Ends when the process stops. */
  stopping: AbortSignal;
  onError: (error: unknown) => void;
  /** Closes the parts of a role with it, newest first. */
  open: AsyncDisposableStack;
  /** Parts for several roles in one process. The first role that needs a part opens it. */
  deploying: () => Promise<Deploying>;
  outgoing: () => Promise<Outgoing>;
  models: () => Promise<Gateway>;
}
