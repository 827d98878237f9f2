import { DestinationRefused, type Outbound } from '../../ground/outbound/outbound.ts';
import { signatureHeaders } from '../../ground/signature-headers.ts';

export interface Message {
  url: string;
  /** The same for every attempt. */
  id: string;
  body: string;
  secrets: readonly Buffer[];
  /** Aborts the attempt. */
  signal: AbortSignal;
}

export interface Outcome {
  delivered: boolean;
  status: number | null;
  /** The reason why it has not arrived; null when it has. It holds no text from the receiver. */
  problem: string | null;
}

/** The limit for one attempt; the lease of its sender must be longer. */
export const send_ms = 15_000;

/** A delivery has arrived when the answer is 2xx. Only the status is read. */
export async function send(outbound: Outbound, { url, id, body, secrets, signal }: Message): Promise<Outcome> {
  const headers = {
    'content-type': 'application/json',
    'user-agent': 'Gantry-Webhooks',
    ...signatureHeaders({ id, body }, secrets),
  };
  try {
    const bounded = AbortSignal.any([signal, AbortSignal.timeout(send_ms)]);
    const answer = await outbound.request(url, { method: 'POST', headers, body, signal: bounded });
    answer.body.on('error', () => {}); // the body is dropped on purpose
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
  const { code, name } = Object(error) as { code?: unknown; name?: unknown }; // any value can be thrown; both are checked
  if (name === 'TimeoutError') return `it did not answer within ${send_ms / 1000} s`;
  return `it cannot be reached (${typeof code === 'string' ? code : String(name)})`;
}
