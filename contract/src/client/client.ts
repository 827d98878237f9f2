// The typed client: every endpoint by name, with the contract's types and without generated code. A refusal arrives as the server's
// `Problem`, an unreachable server as `Unreachable`.
import {
  contentTypes,
  refusal_event,
  type Answer,
  type Endpoint,
  type Page,
  type Sending,
  type StreamEvent,
} from '../endpoint.ts';
import { endpoints, type EndpointName, type Endpoints } from '../endpoints.ts';
import { readJsonLines } from '../formats/json-lines.ts';
import { readAgentProblem } from './agent-problem.ts';
import { Problem, readProblem } from '../problems.ts';
import { readAtMost } from './read-at-most.ts';
import { readServerSentEvents } from '../formats/server-sent-events.ts';
import { answeredByAnother, brokenOff, notGantry, whyNoAnswer } from './unreachable.ts';

export interface ClientSettings {
  base_url: string;
  /** Read for every request, so that a renewed token is used at once. */
  token?: () => string | undefined;
  /** Name of the active team, sent as X-Service-Team. */
  team?: () => string | undefined;
  fetch?: (url: string, init: RequestInit) => Promise<Response>;
  /** Receives the audit entries of a call, such as `governance/17`. */
  onAudited?: (entries: string[]) => void;
}

export interface CallOptions {
  signal?: AbortSignal;
  headers?: Record<string, string>;
  /** Resume a stream after this event. */
  last_event_id?: string;
}

export type Send<N extends EndpointName> = keyof Sending<Endpoints[N]> extends never
  ? Record<string, never>
  : Sending<Endpoints[N]>;

export interface Client {
  call<N extends EndpointName>(name: N, parts: Send<N>, options?: CallOptions): Promise<Answer<Endpoints[N]>>;
}

export function createClient(settings: ClientSettings): Client {
  return {
    async call(name, parts, options = {}) {
      const endpoint: Endpoint = endpoints[name];
      const response = await send(settings, endpoint, parts, options);
      const entries = response.headers.get('x-audit-entry');
      if (entries !== null) settings.onAudited?.(entries.split(', '));
      // The contract ties the endpoint's name to this type; the server's reply check enforces it.
      return (await readAnswer(endpoint, response)) as never;
    },
  };
}

type Values = Record<string, string | number | boolean | undefined>;

/** The URL of an endpoint, with its parameters filled in. */
export function endpointUrl(base_url: string, endpoint: Endpoint, params: Values = {}, query: Values = {}): URL {
  const path = endpoint.path.replaceAll(/\{(\w+)\}/g, (_, key: string) => encodeURIComponent(String(params[key])));
  const url = new URL(base_url.replace(/\/$/, '') + path);
  for (const [key, value] of Object.entries(query)) {
    if (value !== undefined) url.searchParams.set(key, String(value));
  }
  return url;
}

const accepted: Partial<Record<Endpoint['reply']['kind'], string>> = {
  events: 'text/event-stream',
  lines: 'application/x-ndjson',
};

async function send(
  settings: ClientSettings,
  endpoint: Endpoint,
  parts: object,
  options: CallOptions,
): Promise<Response> {
  const { params, query, body } = parts as { params?: Values; query?: Values; body?: unknown }; // the shape of every Sending
  const url = endpointUrl(settings.base_url, endpoint, params, query);
  const headers = new Headers(options.headers);
  headers.set('accept', accepted[endpoint.reply.kind] ?? 'application/json');
  const token = settings.token?.();
  const team = settings.team?.();
  if (token !== undefined) headers.set('authorization', `Bearer ${token}`);
  if (team !== undefined) headers.set('x-service-team', team);
  if (options.last_event_id !== undefined) headers.set('last-event-id', options.last_event_id);
  const init: RequestInit & { duplex?: 'half' } = { method: endpoint.method, headers, redirect: 'error' };
  const signal = signalFor(endpoint, options.signal);
  if (signal !== undefined) init.signal = signal;
  if (typeof endpoint.body === 'string') {
    if (!headers.has('content-type')) headers.set('content-type', contentTypes[endpoint.body]);
    init.body = body as ReadableStream<Uint8Array>; // Sending says bytes or a stream of them; fetch takes both
    init.duplex = 'half';
  } else if (endpoint.body !== undefined) {
    headers.set('content-type', 'application/json');
    init.body = JSON.stringify(body);
  }
  try {
    return await (settings.fetch ?? fetch)(url.href, init);
  } catch (cause) {
    if (options.signal?.aborted === true && !isTimeout(cause)) throw cause;
    throw whyNoAnswer(url.origin, cause);
  }
}

/** A question that changes nothing and is no stream is answered within this time; an agent takes as long as it needs. */
const patience_ms = 150_000;
const lasting = new Set<Endpoint['reply']['kind']>(['events', 'lines', 'stream', 'passed']);

function signalFor({ method, reply }: Endpoint, given: AbortSignal | undefined): AbortSignal | undefined {
  if (method !== 'GET' || lasting.has(reply.kind)) return given;
  const patience = AbortSignal.timeout(patience_ms);
  return given === undefined ? patience : AbortSignal.any([given, patience]);
}

/** The longest answer that is not a stream, far above the longest page of any list. */
const answer_bytes = 256 * 1024 * 1024;

async function readAnswer(endpoint: Endpoint, response: Response): Promise<unknown> {
  if (!response.ok) throw await readRefusal(response);
  const url = new URL(response.url).origin;
  // Every answer of the service has one, also behind a proxy.
  if (!response.headers.has('x-request-id')) throw await answerOfAnother(response, url);
  switch (endpoint.reply.kind) {
    case 'stream':
    case 'passed':
      return response;
    case 'none':
      return undefined;
    case 'events':
      return readEvents(response, url);
    case 'lines':
      return response.body === null ? [] : readLines(response.body, url);
    case 'bare':
      return await readJson(response, url);
    case 'list': {
      const { data, meta } = enveloped(await readJson(response, url), url);
      if (!Array.isArray(data)) throw notGantry(url, 'its answer has no list');
      return { items: data, ...(meta as { next_cursor?: string; total?: number } | undefined) } satisfies Page<unknown>; // the list envelope
    }
    default:
      return enveloped(await readJson(response, url), url).data;
  }
}

/** Closes the connection, because the body can be endless. */
async function answerOfAnother(response: Response, url: string): Promise<Error> {
  await response.body?.cancel();
  const type = response.headers.get('content-type')?.split(';')[0] ?? '';
  return notGantry(url, type === '' ? 'its answer has no type' : `it sent ${type}`);
}

async function readJson(response: Response, url: string): Promise<unknown> {
  const text = await readAtMost(response, answer_bytes).catch((cause: unknown) => {
    if (isTimeout(cause)) throw whyNoAnswer(url, cause);
    throw cause instanceof TypeError ? brokenOff(url, cause) : cause;
  });
  if (text === undefined) throw notGantry(url, `its answer is longer than ${answer_bytes} bytes`);
  const value = parseJson(text);
  if (value === undefined) throw notGantry(url, 'its answer is not JSON');
  return value;
}

function enveloped(value: unknown, url: string): { data?: unknown; meta?: unknown } {
  if (typeof value === 'object' && value !== null && 'data' in value) return value;
  throw notGantry(url, 'its JSON is not that of the service');
}

async function readRefusal(response: Response): Promise<Error> {
  const url = new URL(response.url).origin;
  // A refusal is short; more is the page of another program.
  const text = await readAtMost(response, 1024 * 1024).catch(() => undefined);
  const document = text === undefined ? undefined : parseJson(text);
  return readProblem(document) ?? readAgentProblem(document) ?? answeredByAnother(url, response.status);
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // Not our document: probably a proxy's page. The caller reports it.
    return undefined;
  }
}

async function* readEvents(response: Response, url: string): AsyncIterable<StreamEvent<unknown>> {
  if (response.body === null) return;
  try {
    for await (const event of readServerSentEvents(response.body)) {
      const data = parseJson(event.data);
      if (event.event === refusal_event) throw readProblem(data) ?? new Problem('internal');
      yield { ...event, data };
    }
  } catch (error) {
    throw isBroken(error) ? brokenOff(url, error) : error;
  }
}

async function* readLines(body: ReadableStream<Uint8Array>, url: string): AsyncIterable<unknown> {
  try {
    yield* readJsonLines(body);
  } catch (error) {
    throw isBroken(error) ? brokenOff(url, error) : error;
  }
}

const isTimeout = (error: unknown): boolean => error instanceof Error && error.name === 'TimeoutError';

/** fetch reports a connection that breaks within a body as a TypeError with this message. */
const isBroken = (error: unknown): boolean => error instanceof TypeError && error.message === 'terminated';
