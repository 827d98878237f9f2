// The way into a container: an allow-list of headers, the revision's ingress secret, and who calls, signed for this agent alone.
// Never sent on: Authorization, cookies, X-Service-*. Never let out: cookies, or anything that a browser would run.
import { createHmac } from 'node:crypto';
import { SignJWT } from 'jose';
import { Agent, request, type Dispatcher } from 'undici';
import { Problem } from '@gantry/contract/problems.ts';
import type { UserCaller } from '../access/caller.ts';
import type { ServingInstance } from '../deploy/serving.ts';

// A crew may think for an hour; what bounds a call is its caller and `cancel`, not this connection.
const longest_ms = 24 * 60 * 60 * 1000;
const dispatcher = new Agent({
  connect: { timeout: 5000 },
  headersTimeout: longest_ms,
  bodyTimeout: longest_ms,
  connections: 256,
  pipelining: 1,
});

const passed_in = ['accept', 'content-type', 'traceparent', 'tracestate', 'baggage'];
const answer_types = /^(application\/json|application\/problem\+json|text\/plain|text\/event-stream)(;|$)/i;

export interface UpstreamCall {
  instance: ServingInstance;
  agent: { id: string; ref: string };
  caller: UserCaller;
  method: 'GET' | 'POST';
  path: '/invoke' | '/stream' | '/health' | `/runs/${string}`;
  run_id?: string;
  headers?: Headers;
  body?: Buffer;
  signal?: AbortSignal;
}

/** The agent's answer as it streams; throws `agent_unavailable` when the container does not answer. */
export async function callAgent(
  call: UpstreamCall,
): Promise<{ status: number; content_type: string; body: Dispatcher.ResponseData['body'] }> {
  const headers: Record<string, string> = {
    'x-svc-ingress-secret': call.instance.secret,
    'x-svc-caller': await callerIdentity(call),
    'x-svc-thread-space': threadSpace(call),
    ...(call.run_id === undefined ? {} : { 'x-svc-run-id': call.run_id }),
  };
  for (const name of passed_in) {
    const value = call.headers?.get(name);
    if (value !== null && value !== undefined) headers[name] = value;
  }
  const answered = await send(call, headers);
  const content_type = String(answered.headers['content-type'] ?? 'application/json');
  if (!answer_types.test(content_type)) {
    answered.body.on('error', () => {}); // it is thrown away on purpose
    answered.body.destroy();
    throw new Problem('agent_error', {
      detail: `${call.agent.ref} answered with a content type that is not passed on: ${content_type.slice(0, 60)}`,
    });
  }
  return { status: answered.statusCode, content_type, body: answered.body };
}

async function send(call: UpstreamCall, headers: Record<string, string>): Promise<Dispatcher.ResponseData> {
  try {
    return await request(call.instance.url + call.path, {
      dispatcher,
      method: call.method,
      headers,
      ...(call.body === undefined ? {} : { body: call.body }),
      ...(call.signal === undefined ? {} : { signal: call.signal }),
    });
  } catch (cause) {
    if (call.signal?.aborted === true) throw cause;
    const problem = new Problem('agent_unavailable', {
      detail: `${call.agent.ref} does not answer: its container is stopped, starting or has died.`,
    });
    problem.cause = cause;
    throw problem;
  }
}

// A minute is enough to arrive; the audience keeps it from being shown to another agent as a proof.
async function callerIdentity({ instance, agent, caller }: UpstreamCall): Promise<string> {
  const teams = caller.memberships.map(({ team }) => team);
  return await new SignJWT({ email: caller.email, teams })
    .setProtectedHeader({ alg: 'HS256', typ: 'caller+jwt' })
    .setIssuer('gantry')
    .setAudience(agent.ref)
    .setSubject(caller.id)
    .setIssuedAt()
    .setExpirationTime('60s')
    .sign(Buffer.from(instance.secret));
}

// Threads are named by callers, so each caller gets names of their own: nobody continues another's conversation.
function threadSpace({ agent, caller }: UpstreamCall): string {
  return createHmac('sha256', agent.id).update(caller.id).digest('base64url').slice(0, 22);
}
