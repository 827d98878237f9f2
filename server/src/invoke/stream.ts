import { randomUUID } from 'node:crypto';
import { Readable } from 'node:stream';
import type { Caller } from '../access/caller.ts';
import { signedIn } from '../principals/signed-in.ts';
import { admit } from './admit.ts';
import type { Incoming } from './call.ts';
import type { Ingress } from './ingress.ts';
import { readInput } from './read-input.ts';
import { callAgent } from './upstream.ts';

/** What the agent says while it works, as server-sent events; the client going away cancels the run. */
export async function stream(ingress: Ingress, incoming: Incoming): Promise<Response> {
  await admit(ingress.agents, incoming.caller, incoming.name);
  const body = await readInput(incoming.body);
  const { agent, revision, user } = await admit(ingress.agents, incoming.caller, incoming.name);
  const run_id = randomUUID();
  const answered = await callAgent({
    instance: revision,
    agent,
    caller: user,
    method: 'POST',
    path: '/stream',
    run_id,
    headers: incoming.headers,
    body,
    signal: incoming.signal,
  });
  const headers = { 'content-type': answered.content_type, 'cache-control': 'no-store', 'x-run-id': run_id };
  return new Response(Readable.toWeb(answered.body) as ReadableStream<Uint8Array>, {
    status: answered.status,
    headers,
  }); // Node's own type of the same stream
}

/** The agent's own health, for those who may call it. */
export async function health(ingress: Ingress, caller: Caller, name: string, signal: AbortSignal): Promise<Response> {
  const { agent, revision } = await admit(ingress.agents, caller, name);
  const answered = await callAgent({
    instance: revision,
    agent,
    caller: signedIn(caller),
    method: 'GET',
    path: '/health',
    signal: AbortSignal.any([signal, AbortSignal.timeout(5000)]),
  });
  return new Response(await answered.body.text(), {
    status: answered.status,
    headers: { 'content-type': answered.content_type },
  });
}
