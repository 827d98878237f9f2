import { DestinationRefused, type Outbound } from '../outbound/outbound.ts';
import { signatureHeaders } from '../signature-headers.ts';

export interface Message {
  url: string;
  /** The same for every attempt. */
  id: string;
  body: string;
  secrets: readonly Buffer[];
  /** Breaks the attempt off. */
  signal: AbortSignal;
}

export interface Outcome {
  delivered: boolean;
  status: number | null;
  /** Why it has not arrived; null when it has. Nothing that the receiver wrote stands in it. */
  problem: string | null;
}

/** Bounds one attempt, and what the lease of its sender must outlast. */
export const send_ms = 15_000;

/** Arrived means answered with 2xx. Of the answer nothing but the status is read. */
export async function send(outbound: Outbound, { url, id, body, secrets, signal }: Message): Promise<Outcome> {
  const headers = {
    'content-type': 'application/json',
    'user-agent': 'Gantry-Webhooks',
    ...signatureHeaders({ id, body }, secrets),
  };
  try {
    const bounded = AbortSignal.any([signal, AbortSignal.timeout(send_ms)]);
    const answer = await outbound.request(url, { method: 'POST', headers, body, signal: bounded });
    answer.body.on('error', () => {}); // it is thrown away on purpose
    answer.body.destroy();
    return toOutcome(answer.statusCode);
  } catch (error) {
    return { delivered: false, status: null, problem: describe(error) };
  }
}

function toOutcome(status: number): Outcome {
  if (status >= 200 && status < 300) return { delivered: true, status, problem: null };
  const more = status >= 300 && status < 400 ? ', and redirects are not followed' : '';
  return { delivered: false, status, problem: `it answered ${status}${more}` };
}

function describe(error: unknown): string {
  if (error instanceof DestinationRefused) return error.message;
  const { code, name } = Object(error) as { code?: unknown; name?: unknown }; // whatever was thrown; both are checked
  if (name === 'TimeoutError') return `it did not answer within ${send_ms / 1000} s`;
  return `it cannot be reached (${typeof code === 'string' ? code : String(name)})`;
}
