import type { Caller } from '../access/caller.ts';
import { admit } from './admit.ts';
import { readAnswer } from './answer.ts';
import type { Ingress } from './ingress.ts';
import { callAgent } from './upstream.ts';

/** The spec's five seconds. */
const timeout_ms = 5000;

/** The agent's own health, for those who may call it. */
export async function health(
  ingress: Ingress,
  { caller, name, signal }: { caller: Caller; name: string; signal: AbortSignal },
): Promise<Response> {
  const { agent, instance, user } = await admit(ingress.agents, caller, name);
  const bounded = AbortSignal.any([signal, AbortSignal.timeout(timeout_ms)]);
  const { status, content_type, body } = await readAnswer(
    agent.ref,
    await callAgent(ingress.connections, {
      instance,
      agent,
      caller: user,
      method: 'GET',
      path: '/health',
      signal: bounded,
    }),
  );
  return new Response(new Uint8Array(body), { status, headers: { 'content-type': content_type } });
}
