import type { ServerResponse } from 'node:http';
import { printServerSentEvent } from '@gantry/contract/formats/server-sent-events.ts';
import { expect, test } from 'vitest';
import { runAtTerminal } from '../testing/run-at-terminal.ts';
import { freshHome, runSvc } from '../testing/run-svc.ts';
import { problem, scriptService } from '../testing/scripted-service.ts';

const run_id = '0190b2f4-6c1e-7a52-9f0e-2b7a1c9d4e10';
const json =
  (value: unknown, status = 200) =>
  (response: ServerResponse): void =>
    void response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(value));
const where = (url: string, stdin = '') => ({
  home: freshHome(),
  env: { SERVICE_URL: url, SERVICE_API_TOKEN: 't' },
  stdin,
});
const answer = {
  output: {
    messages: [
      { role: 'user', content: 'hi' },
      { role: 'assistant', content: 'Hello Ada' },
    ],
  },
  run_id,
  status: 'done',
  thread_id: 'th-1',
};

test('people read the last message, programs the whole answer', async () => {
  await using service = await scriptService({ 'POST /agents/greeter/invoke': json(answer) });
  const people = await runSvc(['invoke', 'greeter', '{"message":"hi"}'], where(service.url));
  expect(people.stdout).toBe('Hello Ada\n');
  expect(JSON.parse(service.asked[0]?.body ?? '')).toEqual({ input: { message: 'hi' } });
  const programs = await runSvc(['invoke', 'greeter', '{"message":"hi"}', '--json'], where(service.url));
  expect(JSON.parse(programs.stdout)).toEqual(answer);
});

test('an answer on a thread names the command that continues it, and an agent that waits for an answer has none', async () => {
  const stderrOf = async (status: string) => {
    await using service = await scriptService({ 'POST /agents/greeter/invoke': json({ ...answer, status }) });
    return (await runSvc(['invoke', 'greeter', '{"message":"hi"}'], where(service.url))).stderr;
  };
  expect(await stderrOf('completed')).toContain("svc invoke greeter '…' --thread th-1");
  expect(await stderrOf('interrupted')).not.toContain('--thread');
});

test('the input may come from stdin', async () => {
  await using service = await scriptService({ 'POST /agents/greeter/invoke': json(answer) });
  await runSvc(['invoke', 'greeter', '-', '--thread', 'th-1'], where(service.url, '{"message":"piped"}'));
  expect(JSON.parse(service.asked[0]?.body ?? '')).toEqual({ input: { message: 'piped' }, thread_id: 'th-1' });
});

test.each([[[]], [['--stream']]])('a thread of an agent without threads is refused with a hint (%s)', async (flags) => {
  const detail = 'the agent keeps no threads: it forgets each call, so there is no conversation to continue';
  const refusal = json({ status: 422, code: 'threads_not_kept', detail, hint: 'Leave the thread out.' }, 422);
  await using service = await scriptService({
    'POST /agents/greeter/invoke': refusal,
    'POST /agents/greeter/stream': refusal,
  });
  const { exit, stderr } = await runSvc(['invoke', 'greeter', '{}', '--thread', 't', ...flags], where(service.url));
  expect(exit).toBe(1);
  expect(stderr).toContain('keeps no threads');
  expect(stderr).toContain('Leave the thread out.');
});

const taking = (properties: object, required: string[] = []) =>
  json({ data: { input_schema: { type: 'object', properties, required } } });
const text = { type: 'string' };
const messages = { type: 'array', items: { type: 'object', properties: { role: text, content: {} } } };

test.each([
  ['a conversation', { messages, summary: text }, [], { messages: [{ role: 'user', content: 'hello' }] }],
  ['a conversation by another name', { history: messages }, [], { history: [{ role: 'user', content: 'hello' }] }],
  ['a message, in the state of a graph', { message: text, reply: text }, ['message', 'reply'], { message: 'hello' }],
  ['one text that is required', { question: text, depth: { type: 'integer' } }, ['question'], { question: 'hello' }],
  ['the one variable of a crew', { topic: { title: 'topic' } }, ['topic'], { topic: 'hello' }],
])('a text goes into the field of the agent: %s', async (_, properties, required, input) => {
  await using service = await scriptService({
    'GET /agents/greeter/input': taking(properties, required),
    'POST /agents/greeter/invoke': json(answer),
  });
  expect((await runSvc(['invoke', 'greeter', 'hello'], where(service.url))).exit).toBe(0);
  expect(JSON.parse(service.asked[1]?.body ?? '')).toEqual({ input });
});

test.each([
  [['-'], 'hello\n', 'hello'],
  [['"a JSON text"'], '', 'a JSON text'],
  [['42'], '', '42'],
])('a text can come as %j', async (typed, stdin, message) => {
  await using service = await scriptService({
    'GET /agents/greeter/input': taking({ message: text }),
    'POST /agents/greeter/invoke': json(answer),
  });
  await runSvc(['invoke', 'greeter', ...typed], where(service.url, stdin));
  expect(JSON.parse(service.asked[1]?.body ?? '')).toEqual({ input: { message } });
});

test.each([
  [
    'several fields',
    taking({ city: text, days: { type: 'integer' } }, ['city', 'days']),
    'city (string), days (integer)',
  ],
  ['two of which none is required', taking({ do: text, value: {} }), 'do (string), value'],
  ['a field that is no text', taking({ amount: { type: 'number' } }), 'amount (number)'],
  ['an input without a schema', json({ data: { input_schema: null } }), 'declares no input fields'],
])('a text for an agent that takes %s is a misuse with that reason, and no call', async (_, said, named) => {
  await using service = await scriptService({ 'GET /agents/greeter/input': said });
  const { exit, stderr } = await runSvc(['invoke', 'greeter', 'hello'], where(service.url));
  expect(exit).toBe(2);
  expect(stderr).toContain(named);
  expect(service.asked.map(({ method }) => method)).toEqual(['GET']);
});

test.each([['{"message": hi}'], ['[1]'], ['']])(
  'input that begins like JSON and is not an object (%s) is a misuse, and nothing is sent',
  async (input) => {
    await using service = await scriptService({});
    const { exit, stderr } = await runSvc(['invoke', 'greeter', input], where(service.url));
    expect(exit).toBe(2);
    expect(stderr).toContain(`'{"message":"hi"}'`);
    expect(service.asked).toEqual([]);
  },
);

test('context and config are sent beside the input', async () => {
  await using service = await scriptService({ 'POST /agents/greeter/invoke': json(answer) });
  const flags = ['--context', '{"user":"ada"}', '--config', 'model=small', '--config', 'results=5'];
  await runSvc(['invoke', 'greeter', '{"message":"hi"}', ...flags], where(service.url));
  expect(JSON.parse(service.asked[0]?.body ?? '')).toEqual({
    input: { message: 'hi' },
    context: { user: 'ada' },
    config: { configurable: { model: 'small', results: 5 } },
  });
  for (const wrong of [
    ['--context', 'ada'],
    ['--config', 'model'],
  ])
    expect((await runSvc(['invoke', 'greeter', '{}', ...wrong], where(service.url))).exit).toBe(2);
  expect(service.asked).toHaveLength(1);
});

test('svc waits for a call that outlives the sync budget', async () => {
  const states = ['running', 'running', 'done'];
  await using service = await scriptService({
    'POST /agents/greeter/invoke': json({ run_id, status: 'running' }, 202),
    [`GET /agents/greeter/runs/${run_id}`]: (response) => json({ ...answer, status: states.shift() })(response),
  });
  expect((await runSvc(['invoke', 'greeter', '{}'], where(service.url))).stdout).toBe('Hello Ada\n');
});

test('--async prints the id and the command that fetches the result', async () => {
  await using service = await scriptService({
    'POST /agents/greeter/invoke': json({ run_id, status: 'running' }, 202),
  });
  const { stdout, stderr } = await runSvc(['invoke', 'greeter', '{}', '--async'], where(service.url));
  expect(stdout).toContain(run_id);
  expect(stderr).toContain(`svc invoke greeter --run ${run_id}`);
  expect(service.asked[0]?.headers['prefer']).toBe('respond-async');
});

test('a stream prints its text as it arrives', async () => {
  const events = [
    { type: 'RUN_STARTED' },
    { type: 'TEXT_MESSAGE_CONTENT', delta: 'Hello ' },
    { type: 'TEXT_MESSAGE_CONTENT', delta: 'Ada' },
    { type: 'RUN_FINISHED' },
  ];
  await using service = await scriptService({
    'POST /agents/greeter/stream': (response) =>
      void response
        .writeHead(200, { 'content-type': 'text/event-stream' })
        .end(events.map((each) => printServerSentEvent({ data: JSON.stringify(each) })).join('')),
  });
  expect((await runSvc(['invoke', 'greeter', '{}', '--stream'], where(service.url))).stdout).toBe('Hello Ada\n');
  const lines = (await runSvc(['invoke', 'greeter', '{}', '--stream', '--json'], where(service.url))).stdout
    .trim()
    .split('\n');
  expect(lines.map((each) => JSON.parse(each) as unknown)).toEqual(events);
});

test('at a terminal a streamed answer stays on the screen', async () => {
  const events = [{ type: 'TEXT_MESSAGE_CONTENT', delta: 'Hello Ada' }, { type: 'RUN_FINISHED' }];
  await using service = await scriptService({
    'POST /agents/greeter/stream': (response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      for (const event of events) response.write(printServerSentEvent({ data: JSON.stringify(event) }));
      response.end();
    },
  });
  const { exit, screen } = await runAtTerminal(['invoke', 'greeter', '{}', '--stream'], where(service.url));
  expect({ exit, screen }).toEqual({ exit: 0, screen: 'Hello Ada\n' });
});

test('each message of a stream has its own line', async () => {
  const message = (...deltas: string[]) => [
    { type: 'TEXT_MESSAGE_START' },
    ...deltas.map((delta) => ({ type: 'TEXT_MESSAGE_CONTENT', delta })),
    { type: 'TEXT_MESSAGE_END' },
  ];
  const events = [...message('Three ', 'facts.'), ...message('A greeting.'), ...message(), { type: 'RUN_FINISHED' }];
  await using service = await scriptService({
    'POST /agents/greeter/stream': (response) =>
      void response
        .writeHead(200, { 'content-type': 'text/event-stream' })
        .end(events.map((each) => printServerSentEvent({ data: JSON.stringify(each) })).join('')),
  });
  const { stdout } = await runSvc(['invoke', 'greeter', '{}', '--stream'], where(service.url));
  expect(stdout).toBe('Three facts.\nA greeting.\n');
});

test('an interrupted stream is a failure, not a short answer', async () => {
  await using service = await scriptService({
    'POST /agents/greeter/stream': (response) =>
      void response
        .writeHead(200, { 'content-type': 'text/event-stream' })
        .end(printServerSentEvent({ data: '{"type":"TEXT_MESSAGE_CONTENT","delta":"Hel"}' })),
  });
  const { exit, stderr } = await runSvc(['invoke', 'greeter', '{}', '--stream'], where(service.url));
  expect(exit).toBe(1);
  expect(stderr).toContain('ended before the agent had finished');
});

test('a missing agent gets a hint with the nearest name', async () => {
  await using service = await scriptService({
    'POST /agents/gretter/invoke': problem(404, 'not_found', 'nothing here'),
    'GET /api/v1/agents': json({ data: [{ name: 'greeter' }], meta: {} }),
  });
  const { exit, stderr } = await runSvc(['invoke', 'gretter', '{}'], where(service.url));
  expect(exit).toBe(1);
  expect(stderr).toContain('Did you mean greeter?');
});

test('a refusal of the agent itself reaches the caller with its own sentence and faults', async () => {
  const refusal = {
    type: 'about:blank',
    code: 'invalid_input',
    detail: 'the input does not fit',
    errors: [{ pointer: '/input/topic', detail: 'is missing' }],
  };
  await using service = await scriptService({
    'POST /agents/greeter/invoke': (response) =>
      void response.writeHead(422, { 'content-type': 'application/problem+json' }).end(JSON.stringify(refusal)),
  });
  const { exit, stderr } = await runSvc(['invoke', 'greeter', '{}'], where(service.url));
  expect(exit).toBe(1);
  expect(stderr).toContain('✗ the input does not fit\n  /input/topic  is missing\n');
});
