// Real shapes of projects: each is copied unchanged, `svc init` writes its agent.yaml, it is deployed, and it answers. The model is an
// outside server with OpenAI's protocol.
import { appendFile, cp, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { callAgent, type Agent } from './call-agent.ts';
import { install, type Installation } from './installation.ts';
import { outsideServer, type OutsideServer } from './outside-server.ts';

const rules = `
version: 1
rules:
  - name: the tool has answered
    when: {previous_message_role: assistant, tool_result_contains: "UTC"}
    respond: {content: "It is noon."}
  - name: the time is asked for
    when: {tools_include: current_time, messages_contain: "time"}
    respond: {tool_calls: [{name: current_time, arguments: {}}]}
  - name: a crew asks
    when: {messages_contain: "what is new about"}
    respond: {content: "Final Answer: Bees dance."}
  - name: anything else
    respond: {content: "I heard you."}
`;

/** The output of each deploy, by folder. */
const printed = new Map<string, string>();
let gantry: Installation;
let model: OutsideServer;

beforeAll(async () => {
  model = await outsideServer(rules);
  gantry = await install();
  await gantry.must('svc team create ml');
});
afterAll(async () => {
  await model.stop();
  await gantry.stop();
});

/** Copies the project, lets `svc init` write agent.yaml, deploys it, and returns its caller. */
async function deploy(project: string, folder: string, { init = '', variables = {} } = {}): Promise<Agent> {
  await cp(join(import.meta.dirname, 'projects', project), join(gantry.directory, folder), { recursive: true });
  await gantry.must(`svc init --team ml ${init}`, { in: folder });
  const yaml = join(gantry.directory, folder, 'agent.yaml');
  const [, name = ''] = /^name: (.*)$/m.exec(await readFile(yaml, 'utf8')) ?? [];
  const lines = Object.entries(variables).map(([variable, value]) => `    ${variable}: ${String(value)}\n`);
  if (lines.length > 0) await appendFile(yaml, `deploy:\n  env_vars:\n${lines.join('')}`);
  const { output } = await gantry.must('svc deploy', { in: folder });
  printed.set(folder, output);
  return callAgent(`${gantry.url}/agents/${name}`, await gantry.token());
}

const withModel = () => ({ OPENAI_BASE_URL: `${model.url}/v1`, OPENAI_API_KEY: 'unused' });
const said = (content: string) => ({ messages: [{ role: 'user', content }] });
const lastMessage = (output: unknown) => (output as { messages: { content: string }[] }).messages.at(-1)?.content;

test("a src layout with its own build backend: the template of langchain, its context's defaults, and its version", async () => {
  const agent = await deploy('src-package', 'chat', { variables: withModel() });
  const plain = await agent.ask(said('hi'));
  expect(lastMessage(plain.json.output), plain.text).toBe('Hello: I heard you. (0.3.1)');
  const told = await agent.ask(said('hi'), { context: { greeting: 'Good day' } });
  expect(lastMessage(told.json.output), told.text).toBe('Good day: I heard you. (0.3.1)');
});

test('a package with its own requirements, and variables in langgraph.json', async () => {
  const agent = await deploy('package-with-requirements', 'greet');
  expect((await agent.ask({ name: 'Ada' })).json.output).toMatchObject({ answer: 'Good day, Ada' });
});

test('a monorepo: the agent and its library, each in a folder of langgraph.json', async () => {
  const agent = await deploy('monorepo', 'support');
  expect((await agent.ask({ question: 'why' })).json.output).toMatchObject({ answer: 'WHY (shared-words 4.5.6)' });
});

test.each([
  ['a function', 'make_plain', 'plain bee'],
  ['an async function', 'make_awaited', 'awaited bee'],
  ['a function of the config', 'make_for', "ada's bee"],
  ['a context manager', 'opened', 'opened bee'],
  ['a graph that is not compiled', 'builder', 'built bee'],
])('%s makes the graph', async (_, name, answer) => {
  const agent = await deploy('factories', name.replace('_', '-'), { init: `--entrypoint graphs.py:${name}` });
  const answered = await agent.ask({ word: 'bee' }, { config: { configurable: { prefix: "ada's" } } });
  expect(answered.json.output, answered.text).toMatchObject({ answer });
});

test('a workflow of functions, declared with Poetry', async () => {
  const agent = await deploy('functional', 'shout');
  expect((await agent.ask({ words: ['a', 'b'] })).json.output).toMatchObject({ answer: 'A B' });
});

test('a prebuilt agent in a module with another name, with requirements in two files', async () => {
  const agent = await deploy('prebuilt', 'clock', { variables: withModel() });
  const answered = await agent.ask(said('what time is it?'));
  expect(lastMessage(answered.json.output), answered.text).toBe('It is noon.');
});

test('agent.py that re-exports from a package of the same name, and keeps threads in memory', async () => {
  const agent = await deploy('re-exported', 'notes');
  expect(printed.get('notes')).toContain('threads end with the container');
  const { thread_id } = (await agent.ask({ word: 'a' })).json;
  expect((await agent.ask({ word: 'b' }, { thread_id })).json.output).toMatchObject({ words: ['a', 'b'] });
});

// A crew's packages take a gigabyte.
test('the crew of `crewai create`, as a class and as a function', { timeout: 400_000 }, async () => {
  const agent = await deploy('crew', 'research', { variables: withModel() });
  const answered = await agent.ask({ topic: 'bees' });
  expect(answered.json.output, answered.text).toMatchObject({ raw: 'Bees dance.' });

  const yaml = join(gantry.directory, 'research', 'agent.yaml');
  const text = await readFile(yaml, 'utf8');
  await writeFile(
    yaml,
    text.replace('crew.py:ResearchCrew', 'team.py:make_team').replace(/^version: .*$/m, 'version: 2.0.0'),
  );
  await gantry.must('svc deploy', { in: 'research' });
  expect((await agent.ask({ topic: 'bees' })).json.output).toMatchObject({ raw: 'Bees dance.' });
});
