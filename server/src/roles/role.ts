// A role is a part of the service that can have its own process. Its file opens its parts; app.ts starts the requested roles.
import type { Destination } from '../governance/audit/push/destination.ts';
import type { Config } from '../ground/config/config.ts';
import type { Database, PoolSettings } from '../ground/database/database.ts';
import type { Dialled } from '../agents/deploy/dial-in/dialled.ts';
import type { Ingress } from '../agents/invoke/ingress.ts';
import type { AwsEmulator, AzureEmulator, GoogleEmulator, MoreTarget } from '../agents/deploy/targets/index.ts';
import type { Envelope } from '../ground/envelope/envelope.ts';
import type { StoredKeys } from '../ground/envelope/stored-keys.ts';
import type { AllHandlers } from '../governance/http/handlers.ts';
import type { Ways } from '../governance/http/surface.ts';
import type { ReadAsOf } from '../people/login/read-as-of.ts';
import type { ClientTokens } from '../people/login/clients/client-token.ts';
import type { Tokens } from '../people/login/token.ts';
import type { Passwords } from '../people/login/password.ts';
import type { Gateway } from '../models/gateway/gateway.ts';
import type { GuardrailRecord } from '../models/guardrails/record.ts';
import type { Log } from '../ground/log.ts';
import type { Spans } from '../models/traces/spans.ts';
import type { RecordRefusal } from '../governance/access/refused.ts';
import type { HostedPlugs } from '../agents/tools/hosted/plugs.ts';
import type { ToolParts } from '../agents/tools/parts.ts';
import type { Outgoing } from '../outgoing.ts';
import type { Deploying } from './deploying.ts';

export type RoleHandlers = Partial<AllHandlers>;

export interface Role {
  /** The endpoints of the role, besides the probes of each process. */
  handlers: RoleHandlers;
  /** What containers of agents call, at the door on their networks. */
  door?: { handlers: RoleHandlers; ways: Partial<Ways> };
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
  client_tokens: ClientTokens;
  readAsOf: ReadAsOf;
  installation_id: string;
  /** The destinations of audit log copies. */
  receivers: Destination[];
  recordRefusal: RecordRefusal;
  guardrails: GuardrailRecord;
  spans: Spans;
  /** Besides those of targets/. */
  more_targets: Record<string, MoreTarget>;
  /** In tests, instead of AWS. */
  aws_emulator: AwsEmulator | undefined;
  /** In tests, instead of Google. */
  google_emulator: GoogleEmulator | undefined;
  /** Instead of Azure. */
  azure_emulator: AzureEmulator | undefined;
  /** Instead of the container engine, for hosted MCP servers. */
  hosted: HostedPlugs | undefined;
  /** The connections of instances that dial in, to this process or to another one. */
  dialled: Dialled;
  /** Known after the process listens. */
  base_url: () => string;
  /** Where this process reaches the API: at itself, if it serves it. */
  api_url: () => string;
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
  agentCalls: () => Promise<Ingress>;
  tools: () => Promise<ToolParts>;
}

/** What the parts for several roles are opened with. */
export type OpeningParts = Omit<RoleParts, 'deploying' | 'outgoing' | 'models' | 'agentCalls' | 'tools'>;
