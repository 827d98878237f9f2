import type { Caller } from '../../governance/access/caller.ts';
import type { Admitted } from './admit.ts';
import { readAnswer, type Answer } from './answer.ts';
import type { Ingress } from './ingress.ts';
import { notAwake } from './await-instance.ts';
import { callPlaced } from './calls/place-call.ts';
import { short_ms, type UpstreamCall } from './upstream.ts';

export interface Question {
  caller: Caller;
  name: string;
  signal: AbortSignal;
}

/** An agent's description of itself. It starts no container. */
export async function askAgent(
  ingress: Ingress,
  { agent, revision, user }: Pick<Admitted, 'agent' | 'revision' | 'user'>,
  { path, signal }: Pick<UpstreamCall, 'path'> & Pick<Question, 'signal'>,
): Promise<Answer> {
  if (revision.instances.length === 0) throw notAwake({ agent, revision });
  const bounded = AbortSignal.any([signal, AbortSignal.timeout(short_ms)]);
  const placed = ingress.open_calls.place(revision.instances);
  const asking = callPlaced(ingress.connections, placed, {
    agent,
    caller: user,
    method: 'GET',
    path,
    signal: bounded,
  });
  try {
    return await readAnswer(agent.ref, await asking);
  } finally {
    placed.end();
  }
}
