// A memory config of the registry is in effect for an unmodified agent in its container: the window of its model, and who shares its store.
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import { callAgent, type Agent } from '../call-agent.ts';
import { agentYaml, writeProject } from '../write-project.ts';
import { sharedInstallation, type SharedInstallation } from './shared-installation.ts';

const parrot = await readFile(join(import.meta.dirname, '../agents/parrot.py'), 'utf8');

let gantry: SharedInstallation;
let polly: Agent;
let pete: Agent;

beforeAll(async () => {
  gantry = await sharedInstallation('parrots');
  for (const name of ['polly', 'pete']) {
    await gantry.person(name);
    await gantry.must(`svc team add parrots user:${name}@example.com --role viewer`);
  }
  const config = '{kind: window, max_messages: 3, scope: agent, ttl_seconds: 3600}';
  await gantry.must(`svc registry memory-config create parrots --team parrots --config '${config}'`);
  const yaml = agentYaml('parrot', 'memory: memory-configs/parrots\n', gantry.team);
  await writeProject(gantry, 'parrot', { 'agent.yaml': yaml, 'agent.py': parrot });
  await gantry.must('svc deploy', { in: 'parrot' });
  const of = async (name: string) => callAgent(`${gantry.url}/agents/parrot`, await gantry.token(name));
  [polly, pete] = [await of('polly'), await of('pete')];
}, 300_000);

async function say(agent: Agent, content: string, thread_id = 'talk') {
  const { json } = await agent.ask({ messages: [{ role: 'user', content }] }, { thread_id });
  const messages = (json.output?.['messages'] ?? []) as { content: string }[]; // as the graph's state has them
  return messages.map((message) => message.content);
}

test('the model gets the window, and the thread keeps the whole conversation', async () => {
  await say(polly, 'one');
  await say(polly, 'two');
  const said = await say(polly, 'three');
  expect(said).toHaveLength(6);
  expect(said[0]).toBe('one');
  expect(said.at(-1)).toBe(`[be kind two ${said[3]} three]`);
});

test('callers share the items of its store, and a forgotten one takes theirs along', async () => {
  await say(polly, 'keep seeds');
  await say(pete, 'keep nuts', 'own');
  expect((await say(pete, 'notes', 'own')).at(-1)?.split(', ').toSorted()).toEqual(['keep nuts', 'keep seeds']);
  const { stdout } = await gantry.must('svc user forget polly@example.com --yes', { as: 'polly' });
  expect(stdout).toMatch(/shared items +1/);
  expect((await say(pete, 'notes', 'own')).at(-1)).toBe('keep nuts');
});
