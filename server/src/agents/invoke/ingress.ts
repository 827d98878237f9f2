// The parts of the ingress, its start and its end. Runs live in the agents' containers, which continue while the service is stopped. Another ingress
// then follows the running calls.
import { backgroundWork } from '../../ground/background-work.ts';
import type { Database } from '../../ground/database/database.ts';
import type { Envelope } from '../../ground/envelope/envelope.ts';
import type { RunKey } from '../../ground/run-token.ts';
import type { Spans } from '../../models/traces/spans.ts';
import type { ServingAgents } from '../deploy/serving/serving.ts';
import type { GatewayParts } from '../../models/gateway/parts.ts';
import { agentConnections, type AgentConnections } from '../deploy/connections/agent-connections.ts';
import type { Dialled } from '../deploy/dial-in/dialled.ts';
import type { GuardrailRecord } from '../../models/guardrails/record.ts';
import { forgetOld as forgetOldKeys } from './call-key-store.ts';
import { followInvocation } from './calls/follow-invocation.ts';
import { followedCalls, type FollowedCalls } from './calls/followed-calls.ts';
import { openCalls, type OpenCalls } from './calls/place-call.ts';
import { retryWhileAway } from './calls/retry-while-away.ts';
import * as store from './store.ts';
import type { Turns } from './turns.ts';
import { waitingCalls, type WaitingCalls } from './calls/waiting-calls.ts';

export interface IngressParts {
  db: Database;
  /** The name of this process. */
  owner: string;
  /** No other process uses this database. */
  alone: boolean;
  agents: ServingAgents;
  /** Signs run tokens. */
  run_key: RunKey;
  /** Seals the inputs of stored calls. */
  envelope: Envelope;
  /** The gateway of this process, for judges of guardrails. */
  models: () => Promise<GatewayParts>;
  guardrails: GuardrailRecord;
  /** Of calls with a thread. */
  turns: Turns;
  spans: Pick<Spans, 'add'>;
  /** The address of the service; known after the process listens. */
  base_url: () => string;
  sync_budget_ms: number;
  /** The connections that instances have opened to this process. */
  dialled?: Dialled | undefined;
  /** Aborted when the service stops. Open calls are then answered with 202. */
  stopping: AbortSignal;
  onError: (error: unknown) => void;
}

export interface Ingress extends Omit<IngressParts, 'onError' | 'alone'> {
  connections: AgentConnections;
  /** The open calls of this process, by instance. */
  open_calls: OpenCalls;
  /** The calls of this process that wait for an instance. */
  waiting: WaitingCalls;
  /** Work that continues after the answer. Its failure is a bug and is logged. */
  background(work: Promise<unknown>): void;
  /** Deletes results that nobody fetched for a week. */
  forgetOld(): Promise<void>;
  /** Calls with a key that this process is storing, by their ids. */
  beginning: Map<string, Promise<unknown>>;
  /** The stored calls that have not ended. */
  followed: FollowedCalls;
  /** After the last answer: disconnects from the agents, whose runs continue. */
  close(): Promise<void>;
}

const keep_days = 7;

export function openIngress({ onError, ...parts }: IngressParts): Ingress {
  const connections = agentConnections(parts.dialled);
  const background = backgroundWork(onError);
  const ingress: Ingress = {
    ...parts,
    connections,
    open_calls: openCalls(),
    waiting: waitingCalls(),
    beginning: new Map(),
    background: background.start,
    forgetOld: async () => {
      await retryWhileAway(parts.stopping, async () => await store.forgetOld(parts.db, keep_days));
      await retryWhileAway(parts.stopping, async () => await forgetOldKeys(parts.db, keep_days));
    },
    followed: followedCalls(parts.db, {
      ...parts,
      follow: async (row, lost) => await followInvocation(ingress, row, lost),
      background: background.start,
      onError,
    }),
    close: async () => {
      await connections.destroy();
      await background.ended();
      await ingress.followed.close();
    },
  };
  return ingress;
}
