import { randomUUID } from 'node:crypto';
import { Readable } from 'node:stream';
import type { Ingress } from './ingress.ts';
import { receive, type Incoming } from './receive.ts';
import { callAgent } from './upstream.ts';

/** What the agent says while it works, as server-sent events; the client going away cancels the run. */
export async function stream(ingress: Ingress, incoming: Incoming): Promise<Response> {
  const { agent, instance, user, body } = await receive(ingress, incoming);
  const run_id = randomUUID();
  const answered = await callAgent(ingress.connections, {
    instance,
    agent,
    caller: user,
    method: 'POST',
    path: '/stream',
    run_id,
    headers: incoming.headers,
    body,
    signal: incoming.signal,
  });
  const { status, content_type, retry_after } = answered;
  const headers = {
    'content-type': content_type,
    'cache-control': 'no-store',
    'x-run-id': run_id,
    ...(retry_after === undefined ? {} : { 'retry-after': retry_after }),
  };
  return new Response(Readable.toWeb(answered.body) as ReadableStream<Uint8Array>, { status, headers }); // Node's own type of the same stream
}
