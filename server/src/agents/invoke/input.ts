import type { AgentInput } from '@gantry/contract/agents/invoke.ts';
import { admit } from './admit.ts';
import type { Question } from './ask.ts';
import { describeAgent } from './describe-agent.ts';
import { takenFiles } from './files/check-files.ts';
import type { Ingress } from './ingress.ts';

/** What the agent takes, which files its messages may carry, and if a call can go on with an earlier one. */
export async function input(ingress: Ingress, { caller, name, signal }: Question): Promise<AgentInput> {
  const admitted = await admit(ingress.agents, caller, name);
  const { input_schema } = await describeAgent(ingress, admitted, signal);
  const { kept_by_service, files } = admitted.revision;
  return {
    input_schema,
    keeps_threads: kept_by_service,
    files: files === undefined ? null : await takenFiles(ingress.db, files),
  };
}
