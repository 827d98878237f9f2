// The typed client: every endpoint by name, with the contract's types and without generated code. A refusal arrives as the server's
// `Problem`, an unreachable server as `Unreachable`.
import { refusal_event, type Answer, type Endpoint, type Page, type Sending, type StreamEvent } from './endpoint.ts';
import { endpoints, type EndpointName, type Endpoints } from './endpoints.ts';
import { readJsonLines } from './json-lines.ts';
import { readAgentProblem } from './agent-problem.ts';
import { Problem, readProblem } from './problems.ts';
import { readServerSentEvents } from './server-sent-events.ts';

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

/** The server did not answer. */
export class Unreachable extends Error {
  readonly url: string;
  constructor(url: string, cause: unknown) {
    super(`${url} cannot be reached`, { cause });
    this.name = 'Unreachable';
    this.url = url;
  }
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
  if (options.signal !== undefined) init.signal = options.signal;
  if (endpoint.body === 'archive' || endpoint.body === 'raw') {
    if (!headers.has('content-type'))
      headers.set('content-type', endpoint.body === 'archive' ? 'application/gzip' : 'application/json');
    init.body = body as ReadableStream<Uint8Array>; // Sending says bytes or a stream of them; fetch takes both
    init.duplex = 'half';
  } else if (endpoint.body !== undefined) {
    headers.set('content-type', 'application/json');
    init.body = JSON.stringify(body);
  }
  try {
    return await (settings.fetch ?? fetch)(url.href, init);
  } catch (cause) {
    if (options.signal?.aborted === true) throw cause;
    throw new Unreachable(url.origin, cause);
  }
}

async function readAnswer(endpoint: Endpoint, response: Response): Promise<unknown> {
  if (endpoint.reply.kind === 'raw' && response.ok) return response;
  if (!response.ok) throw await readRefusal(response);
  switch (endpoint.reply.kind) {
    case 'none':
      return undefined;
    case 'events':
      return readEvents(response);
    case 'lines':
      return response.body === null ? [] : readJsonLines(response.body);
    case 'bare':
      return await response.json();
    case 'list': {
      const { data, meta } = (await response.json()) as {
        data: unknown[];
        meta?: { next_cursor?: string; total?: number };
      }; // the list envelope
      return { items: data, ...meta } satisfies Page<unknown>;
    }
    default:
      return ((await response.json()) as { data: unknown }).data; // the data envelope
  }
}

async function readRefusal(response: Response): Promise<Error> {
  const text = await response.text();
  const document = parseJson(text);
  const problem = readProblem(document) ?? readAgentProblem(document);
  if (problem !== undefined) return problem;
  return new Problem('internal', {
    detail: `The server answered ${response.status} without a reason.`,
    hint: 'Check SERVICE_URL, and any proxy in between.',
  });
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // Not our document: probably a proxy's page. The caller reports the status.
    return undefined;
  }
}

async function* readEvents(response: Response): AsyncIterable<StreamEvent<unknown>> {
  if (response.body === null) return;
  for await (const event of readServerSentEvents(response.body)) {
    const data: unknown = JSON.parse(event.data);
    if (event.event === refusal_event) throw readProblem(data) ?? new Problem('internal');
    yield { ...event, data };
  }
}
