import type { AgentInput } from '@gantry/contract/invoke.ts';
import { Problem } from '@gantry/contract/problems.ts';
import { ask, type Question } from './ask.ts';
import type { Ingress } from './ingress.ts';
import { readInputSchema } from './read-input-schema.ts';

/** The agent's input schema, for its callers. Null when the agent has none. */
export async function input(ingress: Ingress, question: Question): Promise<AgentInput> {
  const { ref, status, body } = await ask(ingress, question, '/ready');
  if (status !== 200) throw new Problem('agent_unavailable', { detail: `${ref} is not ready.` });
  return { input_schema: readInputSchema(ref, body) };
}
