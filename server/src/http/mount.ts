// The contract on Node's own server. For every request: choose the endpoint's surface, identify the sender, parse the parts, call the
// handler, write the reply. A handler gets only parsed values; a reply has only members of its schema.
// The caller is read after the whole request has arrived: a right that ended meanwhile no longer counts.
import { randomUUID } from 'node:crypto';
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import type { z } from 'zod';
import { problemsOf, type Endpoint } from '@gantry/contract/endpoint.ts';
import { endpoints, type EndpointName } from '@gantry/contract/endpoints.ts';
import { Problem, problemDocument, type ProblemCode } from '@gantry/contract/problems.ts';
import { operations } from '@gantry/contract/roles.ts';
import { Refusal } from '../access/authorize.ts';
import { actorOf, type Caller } from '../access/caller.ts';
import type { RecordRefusal } from '../access/refused.ts';
import { theOrg } from '../access/subject.ts';
import { traceContext, type TraceContext } from '../trace-context.ts';
import { printAnswer } from './answer.ts';
import { announcedBytes, archiveOf, readBytes, readJson, requireType } from './body.ts';
import type { Console } from './console.ts';
import type { AllHandlers, Call } from './handlers.ts';
import { secure } from './headers.ts';
import type { CarryOutOnce } from './idempotency.ts';
import { canonicalPath } from './path.ts';
import type { ReadPeer } from './peer.ts';
import { asProblem } from './problem-reply.ts';
import { send, type Reply } from './reply.ts';
import { requestHeaders, without } from './request-headers.ts';
import { router, type Router } from './router.ts';
import type { Sender, SessionCookies } from './session-cookie.ts';
import { requireStorable } from './storable.ts';
import { surfaces, type Surface, type Ways } from './surface.ts';

export interface HttpParts {
  /** Of the roles that run in this process. */
  handlers: Partial<AllHandlers>;
  ways: Ways;
  recordRefusal: RecordRefusal;
  carryOutOnce: CarryOutOnce;
  readPeer: ReadPeer;
  cookies: SessionCookies;
  /** Absent in a process that serves no pages. */
  console?: Console;
  log: RequestLog;
  /** While a flagged account must change its password first (setting enforce_password_change). */
  mustChangeFirst: () => Promise<boolean>;
  /** Ends when the service stops, and ends long answers with it. */
  stopping: AbortSignal;
}

export interface RequestLog {
  answered(line: {
    request_id: string;
    trace_id: string;
    method: string;
    path: string;
    status: number;
    ms: number;
    ip: string | null;
    actor: string | null;
  }): void;
  bug(error: unknown, request_id: string): void;
  /** A rare race with a removal is no bug. A reference to a row that never existed would end here as well. */
  overtaken(error: unknown, request_id: string): void;
  undeclared(line: { request_id: string; endpoint: string; code: ProblemCode }): void;
}

interface Route {
  endpoint: Endpoint;
  surface: Surface;
  /** Absent where another role serves it. */
  handler: ((call: Call<never>) => Promise<unknown>) | undefined;
}

/** A request in progress. */
interface Exchange extends Sender {
  incoming: IncomingMessage;
  method: string;
  path: string;
  query: string;
  request_id: string;
  trace: TraceContext;
  /** Ends when the client goes away or the service stops. */
  signal: AbortSignal;
}

export function mount(parts: HttpParts): RequestListener {
  const routes = router<Route>();
  for (const [name, endpoint] of Object.entries<Endpoint>(endpoints)) {
    // The handlers' type pairs each name with its endpoint; a loop over names cannot express that.
    const handler = parts.handlers[name as EndpointName] as unknown as Route['handler'];
    routes.add(endpoint.method, endpoint.path, { endpoint, surface: surfaces[endpoint.surface ?? 'api'], handler });
  }
  const open = new Set<AbortController>();
  parts.stopping.addEventListener('abort', () => {
    for (const each of open) each.abort(parts.stopping.reason);
  });
  return (incoming, outgoing) => {
    const ending = new AbortController();
    if (parts.stopping.aborted) ending.abort(parts.stopping.reason);
    open.add(ending);
    outgoing.once('close', () => {
      open.delete(ending);
      if (!outgoing.writableFinished) ending.abort(new ClientLeft());
    });
    void answer(parts, routes, exchangeOf(parts, incoming, ending.signal), outgoing);
  };
}

class ClientLeft extends Error {}

function exchangeOf({ readPeer }: HttpParts, incoming: IncomingMessage, signal: AbortSignal): Exchange {
  const [, path = '', query = ''] = /^([^?#]*)\??([^#]*)/.exec(incoming.url ?? '') ?? [];
  const headers = requestHeaders(incoming);
  const request_id = randomUUID();
  const { ip, is_https } = readPeer(incoming.socket.remoteAddress, headers);
  const origin = { request_id, ip, receipts: [] };
  const trace = traceContext(headers);
  const method = incoming.method ?? '';
  return { incoming, method, path, query, headers, origin, is_https, request_id, trace, signal };
}

// Never rejects: a reply that cannot be written is logged, and its connection ends.
async function answer(
  parts: HttpParts,
  routes: Router<Route>,
  exchange: Exchange,
  outgoing: ServerResponse,
): Promise<void> {
  const started = performance.now();
  const { incoming, method, path, origin, request_id, trace, signal } = exchange;
  const { trace_id } = trace;
  const asking: Asking = { caller: { kind: 'anonymous', origin } };
  const reply = await replyTo(parts, routes, exchange, asking);
  const line = {
    request_id,
    trace_id,
    method,
    path,
    status: reply.status,
    ms: Math.round(performance.now() - started),
  };
  const actor = asking.caller.kind === 'anonymous' ? null : actorOf(asking.caller).name;
  parts.log.answered({ ...line, ip: origin.ip, actor });
  try {
    await send(incoming, outgoing, secure(reply, { request_id, trace_id, receipts: origin.receipts }));
  } catch (error) {
    if (!signal.aborted) parts.log.bug(error, request_id);
    outgoing.destroy();
  }
}

/** The caller, once known; also a caller who is refused. */
interface Asking {
  caller: Caller;
}

async function replyTo(parts: HttpParts, routes: Router<Route>, exchange: Exchange, asking: Asking): Promise<Reply> {
  const { request_id } = exchange;
  let route: Route | undefined;
  try {
    canonicalPath(exchange.path);
    const method = exchange.method === 'HEAD' ? 'GET' : exchange.method;
    const found = routes.find(method, exchange.path);
    if (Array.isArray(found)) {
      const isFree = found.length === 0 && method === 'GET';
      const page = isFree ? await parts.console?.answer(exchange.path, exchange.headers) : undefined;
      if (page === undefined) throw notRouted(found);
      return page;
    }
    route = found.route;
    return await carryOut(parts, route, { ...exchange, params: found.params }, asking);
  } catch (error) {
    const seen = brokenOff(error, exchange, parts.stopping) ?? refusedSignIn(parts, route, exchange, error);
    const problem = await toProblem(parts, asking.caller, seen, request_id);
    if (route !== undefined && !problemsOf(route.endpoint).includes(problem.code)) {
      const endpoint = `${route.endpoint.method} ${route.endpoint.path}`;
      parts.log.undeclared({ request_id, endpoint, code: problem.code });
    }
    return (route?.surface ?? surfaces.api).printProblem(problem, request_id);
  }
}

// An unknown sender can make the service hold at most this much.
const unknown_sender_max_bytes = 64 * 1024;

async function carryOut(
  parts: HttpParts,
  { endpoint, surface, handler }: Route,
  exchange: Exchange & { params: Record<string, string> },
  asking: Asking,
): Promise<Reply> {
  const { incoming, headers, signal, request_id, trace } = exchange;
  if (handler === undefined) throw servedElsewhere(surface);
  const identifyNow = async () => await identify(parts, { endpoint, surface }, exchange, asking);
  const isRead = endpoint.body !== undefined && endpoint.body !== 'archive';
  const isLarge = isRead && (announcedBytes(incoming) ?? Infinity) > unknown_sender_max_bytes;
  if (isLarge) {
    await identifyNow();
    if (endpoint.body !== undefined) requireType(endpoint.body, headers.get('content-type'));
  }
  const isForAnyone = operations[endpoint.operation].on === 'anyone';
  const max_bytes = isForAnyone ? unknown_sender_max_bytes : surface.max_body_bytes;
  const bytes = isRead ? await readBytes(incoming, max_bytes) : undefined;
  const caller = await identifyNow();
  const parsed = {
    params: parse(endpoint.params, exchange.params, '/path'),
    query: parse(endpoint.query, readQuery(endpoint, exchange.query), '/query'),
    body: readBody(endpoint, exchange, bytes),
  };
  const cookie = parts.cookies(exchange);
  const call = { ...parsed, caller, headers, signal, trace, cookie, callerNow: identifyNow };
  const refuse = async (error: unknown) =>
    problemDocument(await toProblem(parts, asking.caller, error, request_id), request_id);
  const reply = await parts.carryOutOnce(
    { endpoint, caller, headers, parsed },
    // Parsed by this endpoint's own schemas.
    async () => printAnswer(endpoint, await handler(call as unknown as Call<never>), { signal, refuse }),
  );
  return { ...reply, headers: { ...reply.headers, ...cookie.headers } };
}

function readBody({ body }: Endpoint, { incoming, headers }: Exchange, bytes: Buffer | undefined): unknown {
  if (body === undefined) return undefined;
  requireType(body, headers.get('content-type'));
  if (bytes === undefined) return archiveOf(incoming);
  return typeof body === 'string' ? bytes : readJson(bytes, body);
}

function servedElsewhere({ role }: Surface): Problem {
  return new Problem('not_found', { detail: `The role ${role} serves this, at an address of its own.` });
}

function notRouted(methods: readonly string[]): Problem {
  if (methods.length === 0) return new Problem('not_found');
  return new Problem('method_not_allowed', {
    detail: `This path allows only ${methods.join(', ')}.`,
    fields: { allowed_methods: methods.flatMap((method) => (method === 'GET' ? ['GET', 'HEAD'] : [method])) },
  });
}

// Work that ended because its client left, or because the service stops, is not a bug.
function brokenOff(error: unknown, { incoming, signal }: Exchange, stopping: AbortSignal): Problem | undefined {
  if (!signal.aborted || (error !== signal.reason && error !== incoming.errored)) return undefined;
  if (error === stopping.reason) return new Problem('starting');
  return new Problem('request_timeout', { detail: 'The client left before its request was answered.' });
}

/** A refusal that cannot be recorded is answered with the reason for that. */
async function toProblem(parts: HttpParts, caller: Caller, error: unknown, request_id: string): Promise<Problem> {
  if (error instanceof SuppressedError) {
    parts.log.bug(error.error, request_id); // of the closing
    return await toProblem(parts, caller, error.suppressed, request_id);
  }
  const problem = asProblem(error);
  if (problem.code === 'internal') parts.log.bug(error, request_id);
  if (problem.code === 'conflict' && problem !== error) parts.log.overtaken(error, request_id);
  if (!(error instanceof Refusal)) return problem;
  try {
    await parts.recordRefusal(caller, error);
    return problem;
  } catch (failure) {
    parts.log.bug(failure, request_id);
    return asProblem(failure);
  }
}

const refused_at_sign_in = new Set<ProblemCode>([
  'invalid_api_key',
  'not_in_team',
  'password_change_required',
  'cross_site',
  'https_required',
]);

// A failed authentication is recorded as well: an invalid token or gateway key, a page of another site, or a team of other users.
function refusedSignIn({ ways }: HttpParts, route: Route | undefined, sender: Sender, error: unknown): unknown {
  if (route === undefined || error instanceof Refusal || !(error instanceof Problem)) return error;
  const presented = route.surface.ways.some((way) => ways[way].isUsed(sender));
  const isRefused = refused_at_sign_in.has(error.code) || (error.code === 'unauthenticated' && presented);
  if (!isRefused) return error;
  const { code, detail: reason, hint } = error;
  return new Refusal({ code, reason, ...(hint === undefined ? {} : { hint }) }, route.endpoint.operation, theOrg);
}

async function identify(
  parts: HttpParts,
  { endpoint, surface }: Pick<Route, 'endpoint' | 'surface'>,
  sender: Sender,
  asking: Asking,
): Promise<Caller> {
  // A public endpoint reads no token, so a client with an expired token can use it.
  if (operations[endpoint.operation].on === 'anyone') return asking.caller;
  const way = surface.ways.map((name) => parts.ways[name]).find(({ isUsed }) => isUsed(sender));
  if (way === undefined) throw new Problem('unauthenticated');
  const caller = await way.authenticate(sender).catch(async (error: unknown) => {
    if (error instanceof Problem && error.code === 'not_in_team')
      asking.caller = await way.authenticate({ ...sender, headers: without(sender.headers, 'x-service-team') });
    throw error;
  });
  asking.caller = caller;
  const isOpen =
    endpoint.operation === 'password.change' ||
    endpoint.operation === 'session.read' ||
    endpoint.operation === 'session.revoke';
  if (caller.kind === 'user' && caller.must_change_password && !isOpen && (await parts.mustChangeFirst()))
    throw new Problem('password_change_required');
  return caller;
}

// Unknown and repeated query parameters are refused, so no request is half understood.
function readQuery(endpoint: Endpoint, query: string): Record<string, string> {
  if (query === '') return {};
  const given = [...new URLSearchParams(query)];
  for (const [name] of given) {
    const known = endpoint.query !== undefined && Object.hasOwn(endpoint.query.shape, name);
    if (!known)
      throw new Problem('malformed', {
        detail: `There is no query parameter ${JSON.stringify(name.slice(0, 40))} here.`,
      });
    const times = given.filter(([other]) => other === name).length;
    if (times > 1) throw new Problem('malformed', { detail: `The query parameter ${name} is given ${times} times.` });
  }
  return Object.fromEntries(given);
}

function parse(schema: z.ZodType | undefined, value: unknown, where: string): unknown {
  if (schema === undefined) return undefined;
  const read = schema.safeParse(value);
  if (read.success) {
    requireStorable(read.data, where);
    return read.data;
  }
  // An invalid path matches nothing.
  if (where === '/path') throw new Problem('not_found');
  throw new Problem('invalid', {
    errors: read.error.issues.map((issue) => ({ pointer: `${where}/${issue.path.join('/')}`, message: issue.message })),
  });
}
