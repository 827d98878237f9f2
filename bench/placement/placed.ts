import type { Client } from '../../contract/src/client/client.ts';
import { hasEnded } from '../../contract/src/agents/run-states.ts';
import type { Installation } from '../../e2e/installation.ts';

export interface Placed {
  installation: Installation;
  client: Client;
}

/** Waits for the end of an operation. Returns the milliseconds from `began` to the end of this step. */
export async function stepEnded(client: Client, id: string, name: string, began: number): Promise<number> {
  let ended_ms = Number.NaN;
  for await (const { data } of await client.call('deployments.events', { params: { id }, query: {} }))
    if (data.step === name && data.state === 'done') ended_ms = performance.now() - began;
  const { state, problem } = await client.call('deployments.show', { params: { id } });
  if (!hasEnded(state) || state !== 'done') throw new Error(`${id} ended as ${state}: ${JSON.stringify(problem)}`);
  return ended_ms;
}
