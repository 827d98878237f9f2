// Real shapes of projects: each is copied unchanged, `svc init` writes its agent.yaml, it is deployed, and it answers. The model is an
// outside server with OpenAI's protocol. Then the examples with a model, which have the same packages.
import { cp } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Client } from '@gantry/contract/client/client.ts';
import { parseUsd } from '@gantry/contract/formats/money.ts';
import { inSoak } from '../server/src/testing/config.ts';
import { callAgent, type Agent } from './call-agent.ts';
import { addModel, deployProject } from './deploy-project.ts';
import { install, type OwnInstallation } from './installation.ts';
import { outsideServer, type OutsideServer } from './outside-server.ts';

const rules = `
version: 1
rules:
  - name: the tool has answered
    when: {previous_message_role: assistant, tool_result_contains: "UTC"}
    respond: {content: "It is noon, said the clock."}
  - name: the time is asked for
    when: {tools_include: current_time, messages_contain: "time"}
    respond: {tool_calls: [{name: current_time, arguments: {}}]}
  - name: an agent is chosen
    when: {previous_message_contains: "bills or repairs", messages_contain: "invoice"}
    respond: {content: "bills"}
  - name: no agent is chosen
    when: {previous_message_contains: "bills or repairs"}
    respond: {content: "I think it is about bills."}
  - name: a question about a bill
    when: {previous_message_contains: "questions about bills"}
    respond: {content: "You pay within 30 days."}
  - name: the model is down
    when: {messages_contain: "break"}
    respond: {status: 400, error: "this model is down"}
  - name: anything else
    respond: {content: "I heard you."}
`;

let gantry: OwnInstallation;
let model: OutsideServer;
let admin: Client;

beforeAll(async () => {
  model = await outsideServer(rules);
  gantry = await install();
  await gantry.must('svc team create ml');
  admin = await addModel(gantry, model);
});
afterAll(async () => {
  await model.stop();
  await gantry.stop();
});

async function deploy(project: string, folder: string, more: { init?: string } = {}): Promise<Agent> {
  return (await deployProject(gantry, { project, folder, ...more })).agent;
}

const said = (content: string) => ({ messages: [{ role: 'user', content }] });
const lastMessage = (output: unknown) => (output as { messages: { content: string }[] }).messages.at(-1)?.content;

test("a src layout with its own build backend: the template of langchain, its context's defaults, and its version", async () => {
  const agent = await deploy('src-package', 'chat');
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

test('a workspace with a lock whose versions no resolver repeats, and that has no server', async () => {
  const agent = await deploy('locked-workspace', 'old-lock');
  const answered = await agent.ask({ number: 4200 });
  const answer = '4,200 (shared-words 4.5.6, packaging 23.1)';
  expect(answered.json.output, answered.text).toMatchObject({ answer });
});

const factories = [
  ['a function of the config', 'make_for', "ada's bee"],
  ['a context manager', 'opened', 'opened bee'],
] as const;
// Their loading alone is in wrapper/tests/test_langgraph_source.py.
const more_factories = [
  ['a function', 'make_plain', 'plain bee'],
  ['an async function', 'make_awaited', 'awaited bee'],
  ['a graph that is not compiled', 'builder', 'built bee'],
] as const;
test.each(inSoak<readonly (readonly [string, string, string])[]>(factories, [...factories, ...more_factories]))(
  '%s makes the graph',
  async (_, name, answer) => {
    const agent = await deploy('factories', name.replace('_', '-'), { init: `--entrypoint graphs.py:${name}` });
    const answered = await agent.ask({ word: 'bee' }, { config: { configurable: { prefix: "ada's" } } });
    expect(answered.json.output, answered.text).toMatchObject({ answer });
  },
);

test('a workflow of functions, declared with Poetry', async () => {
  const agent = await deploy('functional', 'shout');
  expect((await agent.ask({ words: ['a', 'b'] })).json.output).toMatchObject({ answer: 'A B' });
});

test('a prebuilt agent in a module with another name, with requirements in two files', async () => {
  const agent = await deploy('prebuilt', 'noon');
  const answered = await agent.ask(said('what time is it?'));
  expect(lastMessage(answered.json.output), answered.text).toBe('It is noon, said the clock.');
});

test(
  'a project for a newer Python than the service has: its first push obtains that Python, and the agent answers on it',
  { timeout: 600_000 },
  async () => {
    const { agent, printed } = await deployProject(gantry, {
      project: 'newer-python',
      folder: 'newer',
      timeout_ms: 590_000,
    });
    expect(printed).toContain('The service has no Python 3.13 yet. This push obtains it');
    expect((await agent.ask({ word: 'here' })).json.output).toMatchObject({
      answer: expect.stringMatching(/^here on 3\.13\./),
    });
  },
);

test('agent.py that re-exports from a package of the same name, and whose threads would end with its container', async () => {
  const { agent, printed } = await deployProject(gantry, { project: 're-exported', folder: 'notes' });
  expect(printed).toContain('the service keeps the threads');
  const { thread_id } = (await agent.ask({ word: 'a' }, { thread_id: 'new' })).json;
  expect((await agent.ask({ word: 'b' }, { thread_id })).json.output).toMatchObject({ words: ['a', 'b'] });
});

test('the project of `svc init --template chat` answers with its primary model, and streams', async () => {
  await gantry.must('svc init bot --template chat --team ml');
  await gantry.must('svc deploy', { in: 'bot' });
  const bot = callAgent(`${gantry.url}/agents/bot`, await gantry.token());
  const answered = await bot.ask(said('hi'));
  expect(lastMessage(answered.json.output), answered.text).toBe('I heard you.');
  const pieces: unknown[] = [];
  for await (const { type, delta } of await bot.stream(said('hi')))
    if (type === 'TEXT_MESSAGE_CONTENT') pieces.push(delta);
  expect([pieces.length > 1, pieces.join('')]).toEqual([true, 'I heard you.']);
  const { stdout } = await gantry.must('svc costs --agent bot --by agent,model --json');
  expect(JSON.parse(stdout)).toMatchObject({ rows: [{ of: { agent: 'bot', model: 'gpt-4o-mini' }, calls: 2 }] });
});

describe('the example with a model', () => {
  let clock: Agent;
  let before_clock: number;
  beforeAll(async () => {
    await gantry.project('langgraph-openai', 'clock', { team: 'ml' });
    await gantry.must('svc deploy', { in: 'clock' });
    before_clock = await model.answered();
    clock = callAgent(`${gantry.url}/agents/clock`, await gantry.token());
  });

  test('an agent calls its model over the network, runs the requested tool, and answers', async () => {
    const before = await model.answered();
    const { status, json, text } = await clock.ask(said('what time is it?'));
    expect({ status, text: status === 200 ? '' : text }).toEqual({ status: 200, text: '' });
    expect(json.output).toMatchObject({
      messages: [
        { role: 'user' },
        { role: 'assistant', tool_calls: [{ name: 'current_time' }] },
        { role: 'tool', content: expect.stringMatching(/\d\d:\d\d UTC$/) as string },
        { role: 'assistant', content: 'It is noon, said the clock.' },
      ],
    });
    expect(await model.answered()).toBe(before + 2);
  });

  test('its answer streams in pieces, after the result of the tool', async () => {
    const events: { type: string; [field: string]: unknown }[] = [];
    for await (const event of await clock.stream(said('what time is it?'))) events.push(event);
    const pieces = events.filter(({ type }) => type === 'TEXT_MESSAGE_CONTENT').map(({ delta }) => String(delta));
    expect(pieces.join('')).toBe('It is noon, said the clock.');
    expect(pieces.length).toBeGreaterThan(1);
    const types = events.map(({ type }) => type);
    expect(types.indexOf('TEXT_MESSAGE_CONTENT')).toBeGreaterThan(types.indexOf('TOOL_CALL_RESULT'));
    expect(types.indexOf('TOOL_CALL_RESULT')).toBeGreaterThan(types.indexOf('TOOL_CALL_START'));
    expect(types.at(-1)).toBe('RUN_FINISHED');
  });

  test('`svc` prints the same answer, whole and streamed', async () => {
    for (const way of ['', ' --stream']) {
      const { stdout } = await gantry.must(`svc invoke clock -${way}`, { stdin: JSON.stringify(said('the time?')) });
      expect(stdout).toBe('It is noon, said the clock.\n');
    }
  });

  test('a refusal of the model is an error of the agent, with the message of the model', async () => {
    const { status, json } = await clock.ask(said('break'));
    expect({ status, code: json.code }).toEqual({ status: 500, code: 'agent_error' });
    expect(json.detail).toContain('this model is down');
  });

  test('each of its calls is charged to the agent, and svc costs shows them by agent, team and model', async () => {
    const { stdout } = await gantry.must('svc costs --agent clock --by agent,team,model --json');
    const { rows } = JSON.parse(stdout) as {
      rows: { of: object; usd: string; calls: number; estimated_calls: number }[];
    };
    expect(rows).toMatchObject([{ of: { agent: 'clock', team: 'ml', model: 'gpt-4o-mini' } }]);
    expect(rows[0]?.calls).toBe((await model.answered()) - before_clock);
    expect(parseUsd(rows[0]?.usd ?? '0')).toBeGreaterThan(0);
  });

  test('a spent budget ends its calls with a readable error', async () => {
    const { items } = await admin.call('keys.list', { query: { scope: 'agent' } });
    const own = items.filter(({ scope_name }) => scope_name === 'clock');
    expect(own).toMatchObject([{ team: 'ml', state: 'active', models: ['gpt-4o-mini'] }]);
    await gantry.must('svc team budget set ml --daily 0.000001');
    const before = await model.answered();
    const { status, json } = await clock.ask(said('what time is it?'));
    expect({ status, code: json.code }).toEqual({ status: 429, code: 'budget_exceeded' });
    // Its caller may not read these figures.
    expect(json.detail).not.toMatch(/\$|team:ml/);
    expect(await model.answered()).toBe(before);
  });
});

test('the example orchestration with a model: the classifier asks its model, and the chosen agent answers with it', async () => {
  await gantry.must('svc team budget set ml --daily 10');
  await gantry.must('svc acl grant --asset models/gpt-4o-mini --principal team:default --actions use');
  await cp(join(import.meta.dirname, '../examples/orchestration-with-model'), join(gantry.directory, 'helpdesk'), {
    recursive: true,
  });
  await gantry.must('svc orchestration deploy', { in: 'helpdesk' });
  const { stdout } = await gantry.must('svc orchestration run helpdesk "When is my invoice due?" --json');
  const { run_id, output } = JSON.parse(stdout) as { run_id: string; output: object };
  expect(output).toMatchObject({ text: 'You pay within 30 days.' });
  // A call to a model counts a moment after its end.
  const paid = async () => {
    const { steps } = await admin.call('orchestrate.run', { params: { name: 'helpdesk', run_id } });
    return steps.map(({ path, cost_usd }) => [path, parseUsd(cost_usd) > 0]);
  };
  await expect.poll(paid).toEqual([
    ['classify:desk', true],
    ['bills', true],
  ]);
  const undecided = await gantry.type('svc orchestration run helpdesk "How are you?"');
  expect(undecided).toMatchObject({ code: 1, output: expect.stringContaining('I think it is about bills.') as string });
});
