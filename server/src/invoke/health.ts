import type { Reply } from '../http/reply.ts';
import { ask, type Question } from './ask.ts';
import type { Ingress } from './ingress.ts';

/** The agent's own health, for its callers. */
export async function health(ingress: Ingress, question: Question): Promise<Reply> {
  const { status, content_type, body } = await ask(ingress, question, '/health');
  return { status, headers: { 'content-type': content_type }, body };
}
