import type { Database, Reader } from '../../ground/database/database.ts';
import type { Envelope } from '../../ground/envelope/envelope.ts';
import type { Outbound } from '../../ground/outbound/outbound.ts';
import type { Gateway } from '../../models/gateway/gateway.ts';
import type { GuardrailRecord } from '../../models/guardrails/record.ts';
import type { Spans } from '../../models/traces/spans.ts';
import type { RuleThread } from '../../assets/registry/call-rules/rule-thread.ts';
import type { Hosting } from './hosted/hosting.ts';
import type { ServerConnections } from './upstream/connections.ts';

export interface ToolParts {
  db: Database;
  outbound: Outbound;
  /** The values of a team's secrets. */
  readCredentials: (db: Reader, team_id: string, names: readonly string[]) => Promise<ReadonlyMap<string, string>>;
  connections: ServerConnections;
  hosting: Hosting;
  rules: RuleThread;
  models: () => Promise<Gateway>;
  guardrails: GuardrailRecord;
  envelope: Envelope;
  base_url: () => string;
  spans: Pick<Spans, 'add'>;
  onError: (error: unknown) => void;
}
