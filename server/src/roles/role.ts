// A role is a part of the service that can have a process of its own. Its file says what it opens; app.ts starts those that are asked for.
import type { Destination } from '../audit/push/destination.ts';
import type { Config } from '../config.ts';
import type { Database } from '../database/database.ts';
import type { AllHandlers } from '../http/handlers.ts';
import type { ReadAsOf } from '../login/read-as-of.ts';
import type { Tokens } from '../login/token.ts';
import type { Passwords } from '../login/password.ts';
import type { Log } from '../log.ts';
import type { RecordRefusal } from '../access/refused.ts';
import type { Outgoing } from '../outgoing.ts';
import type { Deploying } from './deploying.ts';

export type RoleHandlers = Partial<AllHandlers>;

export interface Role {
  /** What it serves, beside the probes that each process has. */
  handlers: RoleHandlers;
  /** Throws while it cannot do its work; answers what is to be warned of. */
  ready?: () => Promise<string[]>;
  /** Its work of its own, once the process listens. */
  start?: () => Promise<void> | void;
  /** Reads the organisation settings file again. */
  readSettings?: () => Promise<void>;
}

export interface RoleParts {
  config: Config;
  log: Log;
  db: Database;
  secret_key: string;
  passwords: Passwords;
  tokens: Tokens;
  readAsOf: ReadAsOf;
  installation_id: string;
  /** Where copies of the audit log go. */
  receivers: Destination[];
  recordRefusal: RecordRefusal;
  /** Known once the process listens. */
  base_url: () => string;
  /** Names this process in the records of work. */
  owner: string;
  /** Ends when the process stops. */
  stopping: AbortSignal;
  onError: (error: unknown) => void;
  /** What a role opens is closed with it, newest first. */
  open: AsyncDisposableStack;
  /** For several roles in one process, each opened by the first of them that needs it. */
  deploying: () => Promise<Deploying>;
  outgoing: () => Promise<Outgoing>;
}
