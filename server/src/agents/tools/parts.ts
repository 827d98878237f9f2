import type { Gateway } from '../../models/gateway/gateway.ts';
import type { GuardrailRecord } from '../../models/guardrails/record.ts';
import type { Spans } from '../../models/traces/spans.ts';
import type { RuleThread } from '../../assets/registry/call-rules/rule-thread.ts';
import type { Sign } from '../../governance/signing-keys/signing-keys.ts';
import type { ConnectionParts } from '../connections/parts.ts';
import type { SearchParts } from '../knowledge/parts.ts';
import type { Hosting } from './hosted/hosting.ts';
import type { OpenToolCalls } from './limits/open-calls.ts';
import type { ServerConnections } from './upstream/connections.ts';

export interface ToolParts extends ConnectionParts {
  sign: Sign;
  connections: ServerConnections;
  hosting: Hosting;
  open_calls: OpenToolCalls;
  rules: RuleThread;
  knowledge: SearchParts;
  models: () => Promise<Gateway>;
  guardrails: GuardrailRecord;
  spans: Pick<Spans, 'add'>;
  onError: (error: unknown) => void;
}
