import type { Reply } from '../../governance/http/answer/reply.ts';
import { admit } from './admit.ts';
import { askAgent, type Question } from './ask.ts';
import type { Ingress } from './ingress.ts';

/** The agent's own health, for its callers. */
export async function health(ingress: Ingress, { caller, name, signal }: Question): Promise<Reply> {
  const admitted = await admit(ingress.agents, caller, name);
  const { status, content_type, body } = await askAgent(ingress, admitted, { path: '/health', signal });
  return { status, headers: { 'content-type': content_type }, body };
}
