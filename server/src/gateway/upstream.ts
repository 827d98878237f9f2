// One attempt at an upstream: its request, and what its answer means for the client and for the ledger.
import type { Dispatcher } from 'undici';
import { Problem } from '@gantry/contract/problems.ts';
import { DestinationRefused } from '../outbound/outbound.ts';
import type { Model } from './model.ts';
import type { GatewayParts } from './parts.ts';
import type { Json, Wire } from './wires/wire.ts';

export interface UpstreamAnswer {
  status: number;
  content_type: string;
  retry_after: string | undefined;
  body: Dispatcher.ResponseData['body'];
}

/** An attempt without a usable answer. */
export class AttemptFailed extends Error {
  /** The upstream can have worked, and can bill it. */
  readonly can_cost: boolean;
  readonly problem: Problem;

  constructor(problem: Problem, { can_cost, cause }: { can_cost: boolean; cause?: unknown }) {
    super(problem.detail, { cause });
    this.problem = problem;
    this.can_cost = can_cost;
  }
}

interface Outgoing {
  wire: Wire;
  model: Model;
  body: Json;
  /** Of the client. */
  headers: Record<string, string>;
  signal: AbortSignal;
}

/** Until the upstream's headers arrive. Throws AttemptFailed when they do not. */
export async function dispatch(
  gateway: GatewayParts,
  { wire, model, body, headers, signal }: Outgoing,
): Promise<UpstreamAnswer> {
  const credential = await gateway.credentialOf(model);
  if (model.base_url === undefined)
    throw new AttemptFailed(unavailable(model, 'it has no address', 'Set `base_url` in its config.'), {
      can_cost: false,
    });
  try {
    const answered = await gateway.outbound.request(`${model.base_url.replace(/\/$/, '')}${wire.path}`, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        'user-agent': 'gantry',
        ...(model.kind === 'anthropic' && { 'anthropic-version': '2023-06-01' }),
        ...headers,
        ...authorization(model, credential),
      },
      body: JSON.stringify(body),
      signal,
    });
    const { statusCode: status, headers: said } = answered;
    return {
      status,
      content_type: String(said['content-type'] ?? ''),
      retry_after: /^\d{1,6}$/.exec(String(said['retry-after']))?.[0],
      body: answered.body,
    };
  } catch (cause) {
    throw new AttemptFailed(unavailable(model, reasonOf(cause)), { can_cost: wasSent(cause), cause });
  }
}

function authorization({ kind }: Model, credential: string | undefined): Record<string, string> {
  if (credential === undefined) return {};
  return kind === 'anthropic' ? { 'x-api-key': credential } : { authorization: `Bearer ${credential}` };
}

export function unavailable(
  model: Model,
  why: string,
  hint = `Look at it: \`svc model test ${model.name}\`.`,
): Problem {
  return new Problem('model_unavailable', { detail: `models/${model.name} does not answer: ${why}.`, hint });
}

// Without a connection, nothing was sent.
const unsent =
  /^(?:ECONNREFUSED|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH|ENETUNREACH|UND_ERR_CONNECT_TIMEOUT|CERT_\w+|ERR_TLS_\w+)$/;

function wasSent(cause: unknown): boolean {
  if (cause instanceof DestinationRefused) return false;
  return !(cause instanceof Error && 'code' in cause && unsent.test(String(cause.code)));
}

function reasonOf(cause: unknown): string {
  if (cause instanceof DestinationRefused) return cause.message;
  if (!(cause instanceof Error)) return 'the connection failed';
  if (cause.name === 'TimeoutError' || ('code' in cause && /TIMEOUT/.test(String(cause.code))))
    return 'it took too long';
  return 'code' in cause ? `the connection failed (${String(cause.code)})` : 'the connection failed';
}
