import type { Caller } from '../access/caller.ts';
import { admit } from './admit.ts';
import { readAnswer, type Answer } from './answer.ts';
import type { Ingress } from './ingress.ts';
import { callAgent, short_ms, type UpstreamCall } from './upstream.ts';

export interface Question {
  caller: Caller;
  name: string;
  signal: AbortSignal;
}

/** An agent's description of itself, for its callers. */
export async function ask(
  ingress: Ingress,
  { caller, name, signal }: Question,
  path: UpstreamCall['path'],
): Promise<Answer & { ref: string }> {
  const { agent, instance, user } = await admit(ingress.agents, caller, name);
  const bounded = AbortSignal.any([signal, AbortSignal.timeout(short_ms)]);
  const said = await callAgent(ingress.connections, {
    instance,
    agent,
    caller: user,
    method: 'GET',
    path,
    signal: bounded,
  });
  return { ref: agent.ref, ...(await readAnswer(agent.ref, said)) };
}
