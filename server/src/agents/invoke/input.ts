import type { AgentInput } from '@gantry/contract/agents/invoke.ts';
import { admit } from './admit.ts';
import type { Question } from './ask.ts';
import { describeAgent } from './describe-agent.ts';
import type { Ingress } from './ingress.ts';

/** The agent's input schema, for its callers. Null when the agent has none. */
export async function input(ingress: Ingress, { caller, name, signal }: Question): Promise<AgentInput> {
  const admitted = await admit(ingress.agents, caller, name);
  const { input_schema } = await describeAgent(ingress, admitted, signal);
  return { input_schema };
}
