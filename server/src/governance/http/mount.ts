// The contract on Node's own server. For every request: choose the endpoint's surface, identify the sender, parse the parts, call the
// handler, write the reply. A handler gets only parsed values; a reply has only members of its schema.
// The caller is read after the whole request has arrived: a right that ended meanwhile no longer counts.
import { randomUUID } from 'node:crypto';
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import { problemsOf, type Endpoint } from '@gantry/contract/endpoint.ts';
import { endpoints, type EndpointName } from '@gantry/contract/endpoints.ts';
import { Problem, problemDocument, type ProblemCode } from '@gantry/contract/problems.ts';
import { operations } from '@gantry/contract/roles.ts';
import { Refusal } from '../access/authorize.ts';
import { actorOf, type Caller } from '../access/caller.ts';
import type { RecordRefusal } from '../access/refused.ts';
import { traceContext, type TraceContext } from '../../ground/trace-context.ts';
import { abortedBy } from './listening/aborted-by.ts';
import { printAnswer } from './answer/answer.ts';
import { announcedBytes, readBytes, readJson, requireType, streamOf } from './request/body.ts';
import type { Console } from './console.ts';
import { endpointsThatWait } from './shares/endpoints-that-wait.ts';
import type { AllHandlers, Call } from './handlers.ts';
import type { FairShares } from './shares/fair-shares.ts';
import { secure } from './answer/headers.ts';
import { preflight, readableByPage, type AllowedOrigins } from './cross-origin.ts';
import { requireKnownSender } from './known-sender.ts';
import type { CarryOutOnce } from './idempotency/idempotency.ts';
import { canonicalPath, withPlainNames } from './request/path.ts';
import { parse, readQuery } from './request/parse-parts.ts';
import type { ReadPeer } from './request/peer.ts';
import { asProblem } from './refusals/problem-reply.ts';
import { send, type Reply } from './answer/reply.ts';
import { requestHeaders, without } from './request/request-headers.ts';
import { router, type Router } from './router.ts';
import type { Sender, SessionCookies } from './request/session-cookie.ts';
import type { Sharer } from './shares/sharer.ts';
import type { Forward } from './forward.ts';
import type { RoleName } from '../../ground/config/config.ts';
import { sayWhereToSignIn } from './refusals/say-where-to-sign-in.ts';
import { refusedSignIn } from './refusals/refused-sign-in.ts';
import { notRouted, servedElsewhere } from './refusals/not-served.ts';
import { requireWay, surfaces, type Surface, type Ways } from './surface.ts';
import { placeOfNobody, type Place } from './shares/work-places.ts';

export interface HttpParts {
  /** The handlers of the roles that run in this process. */
  handlers: Partial<AllHandlers>;
  /** The ways of authentication on this listener. */
  ways: Partial<Ways>;
  recordRefusal: RecordRefusal;
  carryOutOnce: CarryOutOnce;
  readPeer: ReadPeer;
  cookies: SessionCookies;
  shares: FairShares;
  /** Passes the requests of a role on to another process of this machine. Absent: they are refused. */
  elsewhere?: Partial<Record<RoleName, Forward['pass']>>;
  /** Absent in a process that serves no pages. */
  console?: Console;
  log: RequestLog;
  /** While a flagged account must change its password first (setting enforce_password_change). */
  mustChangeFirst: () => Promise<boolean>;
  /** The sites whose pages may call a surface that takes them (setting browser_origins). */
  allowedOrigins: AllowedOrigins;
  /** The address of the service. Absent at the door, whose names are those of its networks. */
  base_url?: () => string;
  /** Aborted when the service begins to stop. Ends the streams that have no end of their own. */
  draining: AbortSignal;
  /** Aborted at the end of a stop. It ends the requests that are still open. */
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
    /** The code of a refusal. */
    code?: ProblemCode;
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
  /** Its handler's waits hold no place. */
  waits: boolean;
}

/** A request in progress. */
interface Exchange extends Sender {
  incoming: IncomingMessage;
  method: string;
  query: string;
  request_id: string;
  trace: TraceContext;
  /** Ends when the client goes away or the service stops. */
  signal: AbortSignal;
  /** For an answer without an end of its own: it ends when the service begins to stop. */
  endEarly: () => void;
  /** The answer is sent, or the client has left. */
  closed: Promise<void>;
}

export function mount(parts: HttpParts): RequestListener {
  const routes = router<Route>();
  for (const [name, endpoint] of Object.entries<Endpoint>(endpoints)) {
    // The handlers' type pairs each name with its endpoint; a loop over names cannot express that.
    const handler = parts.handlers[name as EndpointName] as unknown as Route['handler'];
    const surface = surfaces[endpoint.surface ?? 'api'];
    const waits = endpointsThatWait.has(name as EndpointName);
    routes.add(endpoint.method, endpoint.path, { endpoint, surface, handler, waits });
  }
  const open = abortedBy(parts.stopping);
  const endless = abortedBy(parts.draining);
  return (incoming, outgoing) => {
    const ending = new AbortController();
    open.add(ending);
    const { promise: closed, resolve } = Promise.withResolvers<void>();
    outgoing.once('close', () => {
      open.delete(ending);
      endless.delete(ending);
      if (!outgoing.writableFinished) ending.abort(new ClientLeft());
      resolve();
    });
    const ends = { signal: ending.signal, endEarly: () => endless.add(ending), closed };
    void answer(parts, routes, exchangeOf(parts, incoming, ends), outgoing);
  };
}

class ClientLeft extends Error {}

function exchangeOf(
  { readPeer }: HttpParts,
  incoming: IncomingMessage,
  ends: Pick<Exchange, 'signal' | 'endEarly' | 'closed'>,
): Exchange {
  const [, given = '', query = ''] = /^([^?#]*)\??([^#]*)/.exec(incoming.url ?? '') ?? [];
  const path = withPlainNames(given);
  const headers = requestHeaders(incoming);
  const request_id = randomUUID();
  const { ip, is_https } = readPeer(incoming.socket.remoteAddress, headers);
  const origin = { request_id, ip, receipts: [] };
  const trace = traceContext(headers);
  const method = incoming.method ?? '';
  return { incoming, method, path, query, headers, origin, is_https, request_id, trace, ...ends };
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
  const { code } = asking;
  parts.log.answered({ ...line, ip: origin.ip, actor, ...(code !== undefined && { code }) });
  try {
    await send(incoming, outgoing, secure(reply, { request_id, trace_id, receipts: origin.receipts }));
  } catch (error) {
    if (!signal.aborted) parts.log.bug(error, request_id);
    outgoing.destroy();
  }
}

/** What becomes known of a request, for its log line. */
interface Asking {
  /** Once known; also a caller who is refused. */
  caller: Caller;
  /** The code of the refusal. */
  code?: ProblemCode;
}

async function replyTo(parts: HttpParts, routes: Router<Route>, exchange: Exchange, asking: Asking): Promise<Reply> {
  const { request_id } = exchange;
  let route: Route | undefined;
  try {
    canonicalPath(exchange.path);
    const method = exchange.method === 'HEAD' ? 'GET' : exchange.method;
    const found = routes.find(method, exchange.path);
    if (Array.isArray(found)) {
      const permit = await preflight(parts.allowedOrigins, routes, { ...exchange, methods: found });
      if (permit !== undefined) return permit;
      const isFree = found.length === 0 && method === 'GET' && surfaceOf(route, exchange).role !== 'gateway';
      const page = isFree ? await parts.console?.answer(exchange.path, exchange.headers) : undefined;
      if (page === undefined) throw notRouted(found);
      return page;
    }
    route = found.route;
    const reply = await carryOut(parts, route, { ...exchange, params: found.params }, asking);
    return await readableByPage(parts.allowedOrigins, { ...route, ...exchange }, reply);
  } catch (error) {
    const seen = brokenOff(error, exchange, parts.stopping) ?? refusedSignIn(parts.ways, route, exchange, error);
    const problem = await toProblem(parts, asking.caller, seen, request_id);
    asking.code = problem.code;
    if (route !== undefined && !problemsOf(route.endpoint).includes(problem.code)) {
      const endpoint = `${route.endpoint.method} ${route.endpoint.path}`;
      parts.log.undeclared({ request_id, endpoint, code: problem.code });
    }
    const surface = surfaceOf(route, exchange);
    const refusal = sayWhereToSignIn(
      parts.base_url,
      { surface, problem, path: exchange.path },
      surface.printProblem(problem, request_id),
    );
    return await readableByPage(parts.allowedOrigins, { ...exchange, surface }, refusal);
  }
}

/** Clients of vendors ask also for what the gateway does not have, and read their own form alone. */
function surfaceOf(route: Route | undefined, { path }: Exchange): Surface {
  if (route !== undefined) return route.surface;
  if (path.startsWith('/v1beta/')) return surfaces.gemini;
  return path.startsWith('/v1/') ? surfaces.gateway : surfaces.api;
}

// An unknown sender can make the service hold at most this much before the pace of their address.
const unknown_sender_max_bytes = 64 * 1024;

async function carryOut(
  parts: HttpParts,
  route: Route,
  exchange: Exchange & { params: Record<string, string> },
  asking: Asking,
): Promise<Reply> {
  const { endpoint, surface, handler } = route;
  const { incoming, signal, closed, endEarly } = exchange;
  const { sharerOf, places } = parts.shares;
  if (handler === undefined) {
    const pass = surface.role === undefined ? undefined : parts.elsewhere?.[surface.role];
    if (pass === undefined) throw servedElsewhere(surface);
    return await pass(incoming, signal);
  }
  if (surface.checks_sender === true && parts.base_url !== undefined)
    await requireKnownSender(exchange.headers, { base_url: parts.base_url(), allowed: parts.allowedOrigins });
  if (endpoint.reply.kind === 'events') endEarly();
  const isRead = endpoint.body !== undefined && endpoint.body !== 'archive' && endpoint.body !== 'file';
  const isLarge = isRead && (announcedBytes(incoming) ?? Infinity) > unknown_sender_max_bytes;
  const isForAnyone = operations[endpoint.operation].on === 'anyone';
  const max_bytes =
    isForAnyone && surface.takes_large_of_anyone !== true ? unknown_sender_max_bytes : surface.max_body_bytes;
  const small = isRead && !isLarge ? await readBytes(incoming, max_bytes) : undefined;
  const sharer = sharerOf(exchange);
  const place = surface.has_places ? await places.enter(sharer.name, signal) : placeOfNobody;
  void closed.then(place.leave);
  const identifyNow = async () => await identify(parts, route, { ...exchange, sharer }, asking);
  try {
    const asked = { ...exchange, place, identifyNow };
    const bytes = isLarge ? await readLarge(parts.shares, endpoint, { ...asked, sharer, max_bytes }) : small;
    return await handle(parts, { ...route, handler }, { ...asked, bytes }, asking);
  } finally {
    place.end();
  }
}

/** The body of a sender who is identified before it is read. */
async function readLarge(
  { paceBody }: FairShares,
  { body }: Endpoint,
  {
    incoming,
    headers,
    signal,
    place: { whileWaiting },
    identifyNow,
    sharer,
    max_bytes,
  }: Exchange & Pick<Arrived, 'place' | 'identifyNow'> & { sharer: Sharer; max_bytes: number },
): Promise<Buffer> {
  await identifyNow();
  if (body !== undefined) requireType(body, headers.get('content-type'));
  const announced = announcedBytes(incoming);
  // One that is too large is refused before it is read.
  if (announced !== undefined && announced <= max_bytes) await whileWaiting(paceBody(sharer.name, announced, signal));
  const bytes = await whileWaiting(readBytes(incoming, max_bytes));
  if (announced === undefined && bytes.length > unknown_sender_max_bytes)
    await whileWaiting(paceBody(sharer.name, bytes.length, signal));
  return bytes;
}

/** A request whose body has arrived, in its place. */
interface Arrived extends Exchange {
  params: Record<string, string>;
  place: Place;
  bytes: Buffer | undefined;
  identifyNow: () => Promise<Caller>;
}

async function handle(
  parts: HttpParts,
  { endpoint, handler, waits }: Route & { handler: NonNullable<Route['handler']> },
  exchange: Arrived,
  asking: Asking,
): Promise<Reply> {
  const { headers, signal, request_id, trace, identifyNow, place } = exchange;
  const caller = await identifyNow();
  const parsed = {
    params: parse(endpoint.params, exchange.params, '/path'),
    query: parse(endpoint.query, readQuery(endpoint, exchange.query), '/query'),
    body: readBody(endpoint, exchange, exchange.bytes),
  };
  const cookie = parts.cookies(exchange);
  const { whileWaiting } = place;
  const call = { ...parsed, caller, headers, signal, trace, cookie, callerNow: identifyNow, whileWaiting };
  const refuse = async (error: unknown) =>
    problemDocument(await toProblem(parts, asking.caller, error, request_id), request_id);
  const reply = await parts.carryOutOnce({ endpoint, caller, headers, parsed }, async () => {
    // Parsed by this endpoint's own schemas.
    const handling = handler(call as unknown as Call<never>);
    return printAnswer(endpoint, await (waits ? whileWaiting(handling) : handling), { signal, refuse });
  });
  return { ...reply, headers: { ...reply.headers, ...cookie.headers } };
}

function readBody({ body }: Endpoint, { incoming, headers }: Exchange, bytes: Buffer | undefined): unknown {
  if (body === undefined) return undefined;
  requireType(body, headers.get('content-type'));
  if (bytes === undefined) return streamOf(incoming);
  return typeof body === 'string' ? bytes : readJson(bytes, body);
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

async function identify(
  parts: HttpParts,
  { endpoint, surface }: Pick<Route, 'endpoint' | 'surface'>,
  sender: Sender & { sharer: Sharer },
  asking: Asking,
): Promise<Caller> {
  // A public endpoint reads no token, so a client with an expired token can use it.
  if (operations[endpoint.operation].on === 'anyone') return asking.caller;
  const way = requireWay(parts.ways, surface, sender);
  const caller = await way.authenticate(sender).catch(async (error: unknown) => {
    if (error instanceof Problem && error.code === 'not_in_team')
      asking.caller = await way.authenticate({ ...sender, headers: without(sender.headers, 'x-service-team') });
    else sender.sharer.refused();
    throw error;
  });
  asking.caller = caller;
  sender.sharer.identified(caller);
  const isOpen =
    endpoint.operation === 'password.change' ||
    endpoint.operation === 'session.read' ||
    endpoint.operation === 'session.revoke';
  if (caller.kind === 'user' && caller.must_change_password && !isOpen && (await parts.mustChangeFirst()))
    throw new Problem('password_change_required');
  return caller;
}
