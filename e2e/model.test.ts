// The example with a model, in a container: its model is an outside server, known only through OPENAI_BASE_URL.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { callAgent, type Agent } from './call-agent.ts';
import { install, type Installation } from './installation.ts';
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
  - name: the model is down
    when: {messages_contain: "break"}
    respond: {status: 400, error: "this model is down"}
  - name: anything else
    respond: {content: "Ask me for the time."}
`;

let gantry: Installation;
let model: OutsideServer;
let clock: Agent;

beforeAll(async () => {
  model = await outsideServer(rules);
  gantry = await install();
  await gantry.must('svc team create ml');
  await gantry.project('langgraph-openai', 'clock', { team: 'ml', '    OPENAI_BASE_URL': `${model.url}/v1` });
  await gantry.must('svc deploy', { in: 'clock' });
  clock = callAgent(`${gantry.url}/agents/clock`, await gantry.token());
});
afterAll(async () => {
  await model.stop();
  await gantry.stop();
});

const question = (content: string) => ({ messages: [{ role: 'user', content }] });

test('an agent calls its model over the network, runs the requested tool, and answers', async () => {
  const before = await model.answered();
  const { status, json, text } = await clock.ask(question('what time is it?'));
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
  for await (const event of await clock.stream(question('what time is it?'))) events.push(event);
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
    const { stdout } = await gantry.must(`svc invoke clock -${way}`, { stdin: JSON.stringify(question('the time?')) });
    expect(stdout).toBe('It is noon, said the clock.\n');
  }
});

test('a refusal of the model is an error of the agent, with the message of the model', async () => {
  const { status, json } = await clock.ask(question('break'));
  expect({ status, code: json.code }).toEqual({ status: 500, code: 'agent_error' });
  expect(json.detail).toContain('this model is down');
});
