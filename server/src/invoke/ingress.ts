// The parts of the ingress, its start and its end. Runs live in the agents' containers, which continue while the service is stopped.
// The next service follows the running calls again.
import { backgroundWork } from '../background-work.ts';
import type { Database } from '../database/database.ts';
import type { Spans } from '../traces/spans.ts';
import type { ServingAgents } from '../deploy/serving.ts';
import type { GatewayParts } from '../gateway/parts.ts';
import { agentConnections, type AgentConnections } from './agent-connections.ts';
import type { GuardrailRecord } from '../guardrails/record.ts';
import { followInvocation } from './follow-invocation.ts';
import { retryWhileAway } from './retry-while-away.ts';
import * as store from './store.ts';

export interface IngressParts {
  db: Database;
  agents: ServingAgents;
  /** Signs run tokens. */
  run_key: Buffer;
  /** The gateway of this process, for judges of guardrails. */
  models: () => Promise<GatewayParts>;
  guardrails: GuardrailRecord;
  spans: Pick<Spans, 'add'>;
  sync_budget_ms: number;
  /** Aborted when the service stops. Open calls are then answered with 202. */
  stopping: AbortSignal;
  onError: (error: unknown) => void;
}

export interface Ingress extends Omit<IngressParts, 'onError'> {
  connections: AgentConnections;
  /** Work that continues after the answer. Its failure is a bug and is logged. */
  background(work: Promise<unknown>): void;
  /** Deletes results that nobody fetched for a week. */
  forgetOld(): Promise<void>;
  /** Follows every call that an earlier service left running. Tries until the database answers. */
  followOpenInvocations(): Promise<void>;
  /** After the last answer: disconnects from the agents, whose runs continue. */
  close(): Promise<void>;
}

const keep_days = 7;

export function openIngress({ onError, ...parts }: IngressParts): Ingress {
  const connections = agentConnections();
  const background = backgroundWork(onError);
  const ingress: Ingress = {
    ...parts,
    connections,
    background: background.start,
    forgetOld: async () => void (await store.forgetOld(parts.db, keep_days)),
    followOpenInvocations: async () => {
      const rows = await retryWhileAway(parts.stopping, async () => {
        await ingress.forgetOld();
        return await store.running(parts.db);
      });
      for (const row of rows ?? []) background.start(followInvocation(ingress, row));
    },
    close: async () => {
      await connections.destroy();
      await background.ended();
    },
  };
  return ingress;
}
