// One attempt at an upstream: its request until the first byte of the answer.
import type { Dispatcher } from 'undici';
import { AttemptFailed, unavailable } from './attempt-failed.ts';
import { connectionProblem, LateAnswer, LongAnswer } from './connection-problem.ts';
import type { Model, Upstream } from '../model.ts';
import { KeyEnded } from '../admission/open-calls.ts';
import type { GatewayParts } from '../parts.ts';
import type { Json, Wire } from '../wires/wire.ts';

export interface UpstreamAnswer {
  status: number;
  content_type: string;
  retry_after_seconds: number | undefined;
  body: Body;
}

/** Ends with an error after a pause of the upstream, and at the end of the call's time. */
export interface Body extends AsyncIterable<Buffer> {
  destroy(): void;
}

interface Outgoing {
  wire: Wire;
  model: Model;
  upstream: Upstream;
  body: Json;
  /** The client's headers that the upstream gets. */
  headers: Record<string, string>;
  /** Ends with the key of the call. */
  signal: AbortSignal;
}

/** Throws AttemptFailed when no answer begins. */
export async function dispatch(
  gateway: GatewayParts,
  { wire, model, upstream, body, headers, signal }: Outgoing,
): Promise<UpstreamAnswer> {
  const { first_byte_ms, idle_ms, total_ms } = model.timeouts;
  // One signal and two timers, all gone when the answer has ended: AbortSignal.timeout would keep a timer for its whole time.
  const ending = new AbortController();
  const first_byte = setTimeout(() => ending.abort(new LateAnswer()), first_byte_ms);
  const total = setTimeout(() => ending.abort(new LongAnswer()), total_ms);
  // A client that has left still pays for the answer, whose usage is wanted.
  const endWithKey = () => {
    if (signal.reason instanceof KeyEnded) ending.abort(signal.reason);
  };
  signal.addEventListener('abort', endWithKey, { once: true });
  try {
    const answered = await gateway.outbound.request(
      addressOf(atRoot(wire, upstream), pathOf(wire, model), wire.query),
      {
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          'user-agent': 'gantry',
          ...(model.kind === 'anthropic' && { 'anthropic-version': '2023-06-01' }),
          ...headers,
          ...credentialHeader(model, upstream),
        },
        body: JSON.stringify(body),
        headersTimeout: 0, // `first_byte` ends it
        bodyTimeout: idle_ms,
        signal: ending.signal,
      },
    );
    answered.body.once('close', () => {
      clearTimeout(total);
      signal.removeEventListener('abort', endWithKey);
    });
    const { statusCode: status, headers: said } = answered;
    return {
      status,
      content_type: String(said['content-type'] ?? ''),
      retry_after_seconds: secondsIn(said['retry-after']),
      body: await begun(answered.body),
    };
  } catch (cause) {
    clearTimeout(total);
    signal.removeEventListener('abort', endWithKey);
    // The end of a key says nothing about the upstream.
    const ended = signal.reason instanceof KeyEnded ? 'abandoned' : 'failed';
    const kind = gateway.outbound.isUnsent(cause) ? 'unsent' : ended;
    throw new AttemptFailed(unavailable(model, connectionProblem(cause, model, upstream)), { kind, cause });
  } finally {
    clearTimeout(first_byte);
  }
}

/** The address of a model has the path of the format of OpenAI, and Ollama's own begins at the root. */
function atRoot({ kind }: Wire, upstream: Upstream): Upstream {
  return kind === 'ollama' ? { ...upstream, base_url: upstream.base_url.replace(/\/v1\/?$/, '') } : upstream;
}

/** A name with a slash is one segment of the path. */
function pathOf({ path }: Wire, { upstream_model }: Model): string {
  return path.replace('{model}', () => encodeURIComponent(upstream_model));
}

export function addressOf(
  { base_url, api_version }: Upstream,
  path: string,
  query: Readonly<Record<string, string>> = {},
): string {
  const url = new URL(base_url);
  url.pathname = url.pathname.replace(/\/$/, '') + path;
  if (api_version !== undefined) url.searchParams.set('api-version', api_version);
  for (const [name, value] of Object.entries(query)) url.searchParams.set(name, value);
  return url.href;
}

export function credentialHeader(
  { credential_header }: Model,
  { credential }: Pick<Upstream, 'credential'>,
): Record<string, string> {
  if (credential === undefined) return {};
  return credential_header === undefined
    ? { authorization: `Bearer ${credential}` }
    : { [credential_header]: credential };
}

/** Seconds, or a date. */
function secondsIn(header: string | string[] | undefined): number | undefined {
  const text = String(header ?? '');
  if (/^\d{1,6}$/.test(text)) return Number(text);
  const at = Date.parse(text);
  return Number.isNaN(at) ? undefined : Math.max(0, Math.ceil((at - Date.now()) / 1000));
}

/** After its first part. Some upstreams send headers long before it. */
async function begun(body: Dispatcher.ResponseData['body']): Promise<Body> {
  // Without an encoding the body gives buffers.
  const rest = (body as AsyncIterable<Buffer>)[Symbol.asyncIterator]();
  const first = await rest.next();
  let isGiven = false;
  const next = async () => {
    const given = isGiven;
    isGiven = true;
    return given ? await rest.next() : first;
  };
  return {
    destroy: () => body.destroy(),
    [Symbol.asyncIterator]: () => ({
      next,
      return: async () => (await rest.return?.()) ?? { done: true, value: undefined },
    }),
  };
}
