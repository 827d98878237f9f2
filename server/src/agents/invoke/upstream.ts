// The request to a container: allow-listed headers, the revision's ingress secret, and the caller, signed for this agent alone.
// Authorization, cookies and X-Service-* are never forwarded. Cookies, redirects and content that a browser would run are never returned.
import { request, type Dispatcher } from 'undici';
import type { HiddenContent } from '@gantry/project/agent-yaml/tracing.ts';
import { Problem } from '@gantry/contract/problems.ts';
import type { EndCaller } from '../../governance/access/caller.ts';
import type { RequestHeaders } from '../../governance/http/request/request-headers.ts';
import type { ServingAddress } from '../deploy/serving/serving.ts';
import { traceparentOf, type TraceContext } from '../../ground/trace-context.ts';
import type { StartedSpan } from '../../models/traces/start-span.ts';
import type { Through } from '../delegated-calls/delegation.ts';
import type { AgentConnections } from '../deploy/connections/agent-connections.ts';
import { NotConnected, Unproven } from '../deploy/connections/proven-client.ts';
import { callerIdentity, threadSpace } from './caller-identity.ts';

const passed_in = ['accept', 'content-type', 'baggage'];
const answer_types = /^(application\/json|application\/problem\+json|text\/plain|text\/event-stream)(;|$)/i;
// The wrapper's own statuses. 401 is missing: it would tell the callers that they are not signed in here.
const answer_statuses = [200, 202, 400, 404, 408, 409, 413, 415, 422, 429, 500, 503];

/** The limit of a call that runs no agent code: the spec's five seconds for health. */
export const short_ms = 5000;

export interface UpstreamCall {
  instance: ServingAddress;
  agent: { id: string; ref: string };
  /** Absent for a question of the service itself. */
  caller?: EndCaller;
  through?: Through | undefined;
  method: 'GET' | 'POST';
  path: '/invoke' | '/stream' | '/health' | '/ready' | `/graph?${string}` | `/subgraphs?${string}` | `/runs/${string}`;
  run?: StartedRun;
  /** The thread that the call has. */
  thread?: string | undefined;
  sending?: Sending;
  /** How langgraph runs the call, as JSON; only the surface of its SDK asks for it. */
  graph?: string | undefined;
  /** The events of the run will be read too. */
  has_listener?: boolean;
  headers?: RequestHeaders;
  body?: Uint8Array;
  signal?: AbortSignal;
}

/** One of the sendings of a call. */
export interface Sending {
  /** The only start of the container that may begin the call. Undefined: the one that gets it. */
  start: string | undefined;
  /** Counts the sendings, from 1. */
  attempt: number;
}

/** A run that the call starts. */
export interface StartedRun {
  id: string;
  root_run_id: string;
  token: string;
  trace: TraceContext;
  /** From the spans of the agent. */
  hidden: HiddenContent;
  span: StartedSpan;
}

export interface UpstreamAnswer {
  status: number;
  content_type: string;
  retry_after: string | undefined;
  /** Why the wrapper refused this sending before the agent's code ran. It never begins it later. */
  not_begun: string | undefined;
  /** The start of the container that has answered. Undefined for a wrapper that is older than this. */
  start: string | undefined;
  body: Dispatcher.ResponseData['body'];
}

/**
 * The agent's answer as a stream. Throws `agent_unavailable` when the container does not answer, and `agent_error` when the answer
 * may not pass.
 */
export async function callAgent(connections: AgentConnections, call: UpstreamCall): Promise<UpstreamAnswer> {
  const headers: Record<string, string> = {
    'x-svc-ingress-secret': call.instance.secret,
    ...(call.caller && {
      'x-svc-caller': await callerIdentity(call.instance.secret, call.agent.ref, call.caller, call.through?.chain),
      'x-svc-thread-space': threadSpace(call.agent.id, call.caller, call.through?.chain),
    }),
    ...(call.run && {
      'x-svc-run-id': call.run.id,
      'x-svc-run': call.run.token,
      'x-svc-hidden': hiddenNames(call.run.hidden),
      traceparent: traceparentOf(call.run.trace, call.run.span.span_id),
      ...(call.run.trace.tracestate !== null && { tracestate: call.run.trace.tracestate }),
    }),
  };
  // A name may have any character.
  if (call.thread !== undefined) headers['x-svc-thread'] = encodeURIComponent(call.thread);
  if (call.graph !== undefined) headers['x-svc-graph'] = encodeURIComponent(call.graph);
  if (call.has_listener === true) headers['x-svc-side-stream'] = '1';
  if (call.sending !== undefined) headers['x-svc-attempt'] = String(call.sending.attempt);
  if (call.sending?.start !== undefined) headers['x-svc-start'] = call.sending.start;
  Object.assign(headers, passedHeaders(call.headers));
  const { statusCode: status, headers: said, body } = await send(connections, call, headers);
  const content_type = String(said['content-type'] ?? 'application/json');
  const refusal = refusalOf(call.agent.ref, { status, content_type });
  if (refusal !== undefined) {
    body.on('error', () => {}); // the body is discarded on purpose
    body.destroy();
    throw refusal;
  }
  const retry_after = /^\d{1,6}$/.exec(String(said['retry-after']))?.[0];
  return { status, content_type, retry_after, not_begun: one(said['x-svc-not-begun']), start: startOf(said), body };
}

const one = (value: string | string[] | undefined) => (typeof value === 'string' ? value : undefined);

export function startOf(headers: Dispatcher.ResponseData['headers']): string | undefined {
  return one(headers['x-svc-start']);
}

/** Those of the caller that the agent gets. */
export function passedHeaders(headers: RequestHeaders | undefined): Record<string, string> {
  const given = passed_in.map((name) => [name, headers?.get(name) ?? null] as const);
  return Object.fromEntries(given.filter((pair): pair is readonly [string, string] => pair[1] !== null));
}

const hiddenNames = ({ inputs, outputs }: HiddenContent) =>
  [inputs ? 'inputs' : [], outputs ? 'outputs' : []].flat().join(',');

/** The refusal in place of an answer that may not pass. Undefined for an answer that may. */
export function refusalOf(
  ref: string,
  { status, content_type }: { status: number; content_type: string },
): Problem | undefined {
  const refusal = !answer_types.test(content_type)
    ? `a content type that is not passed on: ${content_type.slice(0, 60)}`
    : !answer_statuses.includes(status)
      ? `a status that is not passed on: ${status}`
      : undefined;
  if (refusal === undefined) return undefined;
  return new Problem('agent_error', { detail: `${ref} answered with ${refusal}` });
}

async function send(
  connections: AgentConnections,
  call: UpstreamCall,
  headers: Record<string, string>,
): Promise<Dispatcher.ResponseData> {
  const { url, headers: entrance } = await call.instance.reach();
  try {
    return await request(url + call.path, {
      dispatcher: connections.to({ ...call.instance, url }),
      method: call.method,
      headers: { ...headers, ...entrance },
      ...(call.body === undefined ? {} : { body: call.body }),
      ...(call.signal === undefined ? {} : { signal: call.signal }),
    });
  } catch (cause) {
    const why =
      cause instanceof NotConnected && cause.cause instanceof Unproven
        ? 'the server at its address did not prove to be its container'
        : 'its container is stopped, starting or dead';
    const problem = new Problem('agent_unavailable', { detail: `${call.agent.ref} does not answer: ${why}.` });
    problem.cause = cause;
    throw problem;
  }
}
