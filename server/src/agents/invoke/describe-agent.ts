import { Problem } from '@gantry/contract/problems.ts';
import type { Admitted } from './admit.ts';
import { askAgent } from './ask.ts';
import type { Ingress } from './ingress.ts';
import type { Description } from '../deploy/read-description.ts';
import { servingInputs } from '../deploy/serving/serving-inputs.ts';
import { parseDescription } from './read-description.ts';

/** What the agent takes as input. A sleeping agent: as its last container said. Throws `agent_unavailable` while the agent is not ready. */
export async function describeAgent(
  ingress: Ingress,
  admitted: Pick<Admitted, 'agent' | 'revision' | 'user'>,
  signal: AbortSignal,
): Promise<Description> {
  const { ref, id } = admitted.agent;
  if (admitted.revision.instances.length === 0) {
    const [serving] = await servingInputs(ingress.db, [id]);
    return {
      input_schema: serving?.input?.schema ?? null,
      keeps_threads: serving?.input?.keeps_threads ?? false,
      required_fields: serving?.input?.required ?? null,
    };
  }
  const { status, body } = await askAgent(ingress, admitted, { path: '/ready', signal });
  if (status !== 200) throw new Problem('agent_unavailable', { detail: `${ref} is not ready.` });
  return parseDescription(ref, body);
}
