// Agents that are named as models. The gateway knows the key and its person; the call itself is a call to an agent, which a higher folder makes.
import { parseRef } from '@gantry/contract/refs.ts';
import type { KeyCaller } from '../../../governance/access/caller.ts';
import type { Reply } from '../../../governance/http/answer/reply.ts';
import type { RequestHeaders } from '../../../governance/http/request/request-headers.ts';
import type { TraceContext } from '../../../ground/trace-context.ts';
import type { Json } from '../wires/wire.ts';

/** The formats in which an agent is called. */
export type AgentFormat = 'chat' | 'responses';

export interface AgentModelCall {
  /** Its holder is the caller of the agent. */
  key: KeyCaller;
  name: string;
  format: AgentFormat;
  sent: Json;
  headers: RequestHeaders;
  signal: AbortSignal;
  trace: TraceContext;
}

export interface AgentModel {
  name: string;
  team: string;
  created_at: string;
}

export interface AgentModels {
  /** Decides as for any call of the key's holder. Throws the refusals of invoke. */
  call: (call: AgentModelCall) => Promise<Reply>;
  /** Those of these names that the holder may call now. */
  callable: (key: KeyCaller, names: readonly string[]) => Promise<AgentModel[]>;
}

/** The name in `agents/<name>`. Undefined for any other text. */
export function agentNamed(text: unknown): string | undefined {
  const ref = typeof text === 'string' && text.startsWith('agents/') ? parseRef(text) : undefined;
  return ref?.name;
}
