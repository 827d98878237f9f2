// The contract on Hono: for every endpoint one route that authenticates, parses, calls its handler and prints the answer.
// Nothing reaches a handler that was not parsed; nothing leaves that the reply's schema does not name.
import { randomUUID } from 'node:crypto';
import { Hono, type Context } from 'hono';
import type { z } from 'zod';
import { canonicalPath } from './path.ts';
import { problemsOf, type Endpoint } from '@gantry/contract/endpoint.ts';
import { endpoints, type EndpointName } from '@gantry/contract/endpoints.ts';
import { Problem, problemDocument, type ProblemCode } from '@gantry/contract/problems.ts';
import { operations } from '@gantry/contract/roles.ts';
import { actorOf, type Caller, type Origin } from '../access/caller.ts';
import { Refusal } from '../access/authorize.ts';
import { theOrg } from '../access/subject.ts';
import type { RecordRefusal } from '../access/refused.ts';
import { readBody, readBytes } from './body.ts';
import type { Call, Handler } from './handlers.ts';
import type { CarryOutOnce } from './idempotency.ts';
import type { ClientAddress } from './peer.ts';
import { printAnswer } from './answer.ts';
import { asProblem, problemResponse } from './problem-response.ts';
import { secure } from './headers.ts';
import { requireStorable } from './storable.ts';

type AllHandlers = { [N in EndpointName]: Handler<N> };

export interface HttpParts {
  handlers: AllHandlers;
  authenticate: (headers: Headers, origin: Origin) => Promise<Caller>;
  recordRefusal: RecordRefusal;
  carryOutOnce: CarryOutOnce;
  clientAddress: ClientAddress;
  log: RequestLog;
  /** While a flagged account must change its password first (setting enforce_password_change). */
  mustChangeFirst: () => Promise<boolean>;
  /** Ends when the service stops; long answers end with it. */
  stopping: AbortSignal;
}

export interface RequestLog {
  answered(line: {
    request_id: string;
    method: string;
    path: string;
    status: number;
    ms: number;
    ip: string | null;
    actor: string | null;
  }): void;
  bug(error: unknown, request_id: string): void;
  /** Rare, and no bug, as long as it is a race: what refers to something that never was there would end here as well. */
  overtaken(error: unknown, request_id: string): void;
  undeclared(line: { request_id: string; endpoint: string; code: ProblemCode }): void;
}

/** What @hono/node-server puts beside a request. */
interface Bindings {
  incoming?: { url?: string; socket: { remoteAddress?: string } };
}

type Ctx = Context<{ Bindings: Bindings }>;

export function mount(parts: HttpParts): Hono<{ Bindings: Bindings }> {
  const app = new Hono<{ Bindings: Bindings }>();
  for (const [name, endpoint] of Object.entries<Endpoint>(endpoints)) {
    // The handlers' type pairs each name with its own endpoint; a loop over names cannot say so.
    const handler = parts.handlers[name as EndpointName] as unknown as (call: Call<never>) => Promise<unknown>;
    app.on(
      endpoint.method,
      endpoint.path.replaceAll(/\{(\w+)\}/g, ':$1'),
      async (c) => await answer(parts, endpoint, handler, c),
    );
  }
  app.all('*', async (c) => await answer(parts, undefined, unknownRoute(app, c), c));
  return app;
}

async function answer(
  parts: HttpParts,
  endpoint: Endpoint | undefined,
  handler: (call: Call<never>) => Promise<unknown>,
  c: Ctx,
): Promise<Response> {
  const started = performance.now();
  const origin: Origin = {
    request_id: randomUUID(),
    ip: parts.clientAddress(c.env?.incoming?.socket.remoteAddress, c.req.raw.headers),
    receipts: [],
  };
  const request_id = origin.request_id ?? '';
  const signal = AbortSignal.any([c.req.raw.signal, parts.stopping]);
  let caller: Caller = { kind: 'anonymous', origin };
  let response: Response;
  try {
    canonicalPath(c.env?.incoming?.url ?? new URL(c.req.raw.url).pathname);
    if (endpoint !== undefined) {
      const identifyNow = async () =>
        await identify(parts, endpoint, c.req.raw.headers, origin, (known) => (caller = known));
      caller = await identifyNow();
      const callerNow = anew(caller, identifyNow);
      const read = await readParts(endpoint, c);
      caller = await callerNow();
      const late = { callerNow, readBytes: async (most_bytes: number) => await readBytes(c.req.raw, most_bytes) };
      const call = { caller, request: c.req.raw, signal, ...late, ...read };
      const refuse = async (error: unknown) =>
        problemDocument(await toProblem(parts, caller, error, request_id), request_id);
      response = await parts.carryOutOnce(
        { endpoint, caller, headers: c.req.raw.headers, parsed: read },
        // Parsed by this endpoint's own schemas.
        async () => printAnswer(endpoint, await handler(call as unknown as Call<never>), { signal, refuse }),
      );
    } else {
      await handler({ caller, request: c.req.raw, signal } as unknown as Call<never>); // throws
      throw new Problem('not_found');
    }
  } catch (error) {
    const seen =
      brokenOff(error, c.req.raw.signal, parts.stopping) ?? refusedSignIn(endpoint, c.req.raw.headers, error);
    const problem = await toProblem(parts, caller, seen, request_id);
    if (endpoint !== undefined && !problemsOf(endpoint).includes(problem.code))
      parts.log.undeclared({ request_id, endpoint: `${endpoint.method} ${endpoint.path}`, code: problem.code });
    response = problemResponse(problem, request_id);
  }
  const line = {
    request_id,
    method: c.req.method,
    path: c.req.path,
    status: response.status,
    ms: Math.round(performance.now() - started),
    ip: origin.ip,
  };
  parts.log.answered({ ...line, actor: caller.kind === 'anonymous' ? null : actorOf(caller).name });
  return secure(response, request_id, origin.receipts);
}

// Work that ended because its client left, or because the service stops, is no bug.
function brokenOff(error: unknown, left: AbortSignal, stopping: AbortSignal): Problem | undefined {
  if (left.aborted && error === left.reason)
    return new Problem('request_timeout', { detail: 'The client left before its request was answered.' });
  if (stopping.aborted && error === stopping.reason) return new Problem('starting');
  return undefined;
}

const fresh_ms = 1000;

/** The caller, read anew when that was a while ago: a body may take minutes to arrive, and its sender may have lost every right by then. */
function anew(first: Caller, identifyNow: () => Promise<Caller>): () => Promise<Caller> {
  let [caller, read_at] = [first, performance.now()];
  return async () => {
    if (performance.now() - read_at > fresh_ms) [caller, read_at] = [await identifyNow(), performance.now()];
    return caller;
  };
}

/** A refusal that cannot be put on the record is answered as what stood in the way of that. */
async function toProblem(parts: HttpParts, caller: Caller, error: unknown, request_id: string): Promise<Problem> {
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

// What presents itself and is not let in is on the record as well: a token that is not good, a team that is somebody else's.
function refusedSignIn(endpoint: Endpoint | undefined, headers: Headers, error: unknown): unknown {
  if (endpoint === undefined || error instanceof Refusal || !(error instanceof Problem)) return error;
  const presented = error.code === 'unauthenticated' && headers.has('authorization');
  if (!presented && error.code !== 'not_in_team' && error.code !== 'password_change_required') return error;
  const { code, detail: reason, hint } = error;
  return new Refusal({ code, reason, ...(hint === undefined ? {} : { hint }) }, endpoint.operation, theOrg);
}

/** Says who it is as soon as that is known: also of a caller who may then not go on. */
async function identify(
  parts: HttpParts,
  endpoint: Endpoint,
  headers: Headers,
  origin: Origin,
  onKnown: (caller: Caller) => void,
): Promise<Caller> {
  const rule = operations[endpoint.operation];
  // A public endpoint reads no token at all, so that a stale one in a client stands in nobody's way.
  if (rule.on === 'anyone') return { kind: 'anonymous', origin };
  const caller = await parts.authenticate(headers, origin).catch(async (error: unknown) => {
    if (error instanceof Problem && error.code === 'not_in_team') onKnown(await whoever(parts, headers, origin));
    throw error;
  });
  onKnown(caller);
  if (caller.kind === 'anonymous') throw new Problem('unauthenticated');
  const open =
    endpoint.operation === 'password.change' ||
    endpoint.operation === 'session.read' ||
    endpoint.operation === 'session.revoke';
  if (caller.kind === 'user' && caller.must_change_password && !open && (await parts.mustChangeFirst()))
    throw new Problem('password_change_required');
  return caller;
}

async function whoever(parts: HttpParts, headers: Headers, origin: Origin): Promise<Caller> {
  const without = new Headers(headers);
  without.delete('x-service-team');
  return await parts.authenticate(without, origin);
}

async function readParts(endpoint: Endpoint, c: Ctx) {
  return {
    params: parse(endpoint.params, c.req.param(), '/path'),
    query: parse(endpoint.query, readQuery(endpoint, c), '/query'),
    body: endpoint.body === undefined ? undefined : await readBody(endpoint.body, c.req.raw),
  };
}

// Unknown and repeated query parameters are refused: nothing is ever half understood.
function readQuery(endpoint: Endpoint, c: Ctx): Record<string, string> {
  const given = [...new URL(c.req.raw.url).searchParams];
  const query = new Map(given);
  for (const name of query.keys()) {
    const known = endpoint.query !== undefined && Object.hasOwn(endpoint.query.shape, name);
    if (!known)
      throw new Problem('malformed', {
        detail: `There is no query parameter ${JSON.stringify(name.slice(0, 40))} here.`,
      });
    const times = given.filter(([other]) => other === name).length;
    if (times > 1) throw new Problem('malformed', { detail: `The query parameter ${name} is given ${times} times.` });
  }
  return Object.fromEntries(query);
}

function parse(schema: z.ZodType | undefined, value: unknown, where: string): unknown {
  if (schema === undefined) return undefined;
  const read = schema.safeParse(value);
  if (read.success) {
    requireStorable(read.data, where);
    return read.data;
  }
  // A path that cannot name anything is a path to nothing.
  if (where === '/path') throw new Problem('not_found');
  throw new Problem('invalid', {
    errors: read.error.issues.map((issue) => ({ pointer: `${where}/${issue.path.join('/')}`, message: issue.message })),
  });
}

function unknownRoute(app: Hono<{ Bindings: Bindings }>, c: Ctx): () => Promise<never> {
  return async () => {
    const methods = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'].filter((method) =>
      app.router.match(method, c.req.path)[0].some(([[, route]]) => route.path !== '/*'),
    );
    if (methods.length > 0 && !methods.includes(c.req.method))
      throw new Problem('method_not_allowed', {
        detail: `Here only ${methods.join(', ')} is offered.`,
        fields: { allowed_methods: methods.flatMap((method) => (method === 'GET' ? ['GET', 'HEAD'] : [method])) },
      });
    throw new Problem('not_found');
  };
}
