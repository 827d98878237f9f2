// A deploy from the client's side: from the first byte of the push to the switch of traffic.
import { parseAgentYaml } from '@gantry/project/agent-yaml.ts';
import type { Client } from '../../contract/src/client/client.ts';
import { pack } from '../../cli/src/project/pack.ts';
import { readProject } from '../../cli/src/project/read-project.ts';

export interface Deployed {
  revision_id: string;
  switched_s: number;
  push_s: number;
  /** Durations of the pipeline's steps, by the service's clock. */
  step_s(name: string): number;
}

export async function deployProject(
  client: Client,
  directory: string,
  { untilDrained = true }: { untilDrained?: boolean } = {},
): Promise<Deployed> {
  const began = performance.now();
  const { ref, name } = await pushProject(client, directory);
  const pushed = performance.now();
  const { id } = await client.call('deployments.create', { body: { ref, force: false } });
  let switched = Number.NaN;
  for await (const { data } of await client.call('deployments.events', { params: { id }, query: {} }))
    if (data.step === 'register' && data.state === 'done') switched = performance.now();
  const { state, steps, problem } = await client.call('deployments.show', { params: { id } });
  if (state !== 'done') throw new Error(`the deploy ended as ${state}: ${JSON.stringify(problem)}`);
  const step_s = (name: string) => {
    const step = steps.find((one) => one.name === name);
    return (Date.parse(step?.ended_at ?? '') - Date.parse(step?.started_at ?? '')) / 1000;
  };
  if (untilDrained) await drained(client, name);
  return { revision_id: id, switched_s: (switched - began) / 1000, push_s: (pushed - began) / 1000, step_s };
}

export async function pushProject(client: Client, directory: string): Promise<{ ref: string; name: string }> {
  const project = readProject(directory);
  const { config } = parseAgentYaml(Buffer.from(project.read('agent.yaml')).toString());
  if (config === undefined) throw new Error('the project to measure with has a fault');
  const { name } = config;
  const pushing = await client.call('agents.push', { params: { name }, query: {}, body: await pack(project) });
  for await (const _ of await client.call('pushes.events', { params: { id: pushing.id }, query: {} }));
  const { state, ref, problem } = await client.call('pushes.show', { params: { id: pushing.id } });
  if (state !== 'done') throw new Error(`the push ended as ${state}: ${JSON.stringify(problem)}`);
  return { ref, name };
}

/** Waits until the replaced revision has stopped, because stopping it would slow down the next measurement. */
export async function drained(client: Client, name: string): Promise<void> {
  const deadline = AbortSignal.timeout(60_000);
  while ((await client.call('agents.status', { params: { name } }, { signal: deadline })).draining.length > 0)
    await new Promise((soon) => setTimeout(soon, 200));
}
