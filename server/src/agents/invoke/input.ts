import type { AgentInput } from '@gantry/contract/agents/invoke.ts';
import { admit } from './admit.ts';
import type { Question } from './ask.ts';
import { describeAgent } from './describe-agent.ts';
import type { Ingress } from './ingress.ts';

/** What the agent takes, and if a call can go on with an earlier one. */
export async function input(ingress: Ingress, { caller, name, signal }: Question): Promise<AgentInput> {
  const admitted = await admit(ingress.agents, caller, name);
  const { input_schema } = await describeAgent(ingress, admitted, signal);
  return { input_schema, keeps_threads: admitted.revision.kept_by_service };
}
