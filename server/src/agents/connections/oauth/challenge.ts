import { answer_ms, headersOf } from '../../../ground/outbound/bounded-fetch.ts';
import type { Outbound } from '../../../ground/outbound/outbound.ts';

/** The server's answer to a request without a credential. Its body may be an endless stream, so nobody reads it. */
export async function challengeOf(outbound: Outbound, address: string): Promise<Response> {
  const answer = await outbound.request(address, {
    method: 'GET',
    headers: { accept: 'application/json, text/event-stream' },
    body: null,
    signal: AbortSignal.timeout(answer_ms),
    headersTimeout: answer_ms,
    bodyTimeout: answer_ms,
  });
  answer.body.on('error', () => undefined).destroy();
  return new Response(null, { headers: headersOf(answer) });
}
