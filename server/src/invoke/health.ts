import { ask, type Question } from './ask.ts';
import type { Ingress } from './ingress.ts';

/** The agent's own health, for those who may call it. */
export async function health(ingress: Ingress, question: Question): Promise<Response> {
  const { status, content_type, body } = await ask(ingress, question, '/health');
  return new Response(new Uint8Array(body), { status, headers: { 'content-type': content_type } });
}
