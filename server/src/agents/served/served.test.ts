// Agents as MCP servers, with the official client. The agent is a stand-in that answers as the wrapper does.
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { request, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import { text as read } from 'node:stream/consumers';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { standInFor } from '../../testing/agents/agent-stand-in.ts';
import { storeAgent } from '../../testing/stored/stored-agent.ts';
import { testApp, type TestApp, type TestUser } from '../../testing/test-app.ts';

let app: TestApp;
let ada: TestUser;
let cal: TestUser;
let otto: TestUser;
let ready: object;
let answer: (response: ServerResponse) => void;
let heard: { input?: unknown; thread_id?: string; run_id?: string }[] = [];
let left = 0;

const conversation = { properties: { messages: { type: 'array' } } };
const fields = {
  properties: { city: { $ref: '#/$defs/City' }, days: { type: 'integer' } },
  required: ['city', 'days'],
  $defs: { City: { type: 'string' } },
};
const json = { 'content-type': 'application/json' };

beforeAll(async () => {
  app = await testApp({ config: { engine_host: 'unix:///nowhere/docker.sock' } });
  ada = await app.user('ada@example.com', { teams: { ml: 'admin' } });
  cal = await app.user('cal@example.com', { teams: { ml: 'viewer' } });
  otto = await app.user('otto@example.com', { teams: { ops: 'admin' } });
  const agent = await storeAgent(app, ada.email, {
    name: 'greeter',
    yaml: 'description: Greets people\naccess: {visibility: team}\n',
  });
  await standInFor(app, agent, (request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      if (request.url !== '/stream') return void response.writeHead(200, json).end(JSON.stringify(ready));
      heard.push(JSON.parse(Buffer.concat(chunks).toString()) as object);
      response.once('close', () => left++);
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      return answer(response);
    });
  });
});
afterAll(async () => await app?.stop());
beforeEach(() => {
  heard = [];
  left = 0;
  ready = { status: 'ready', input_schema: conversation, keeps_threads: false };
  answer = (response) => says(response, text('Hello '), text('Ada'), finished('Hello Ada'));
});

const says = (response: ServerResponse, ...events: object[]) =>
  response.end(events.map((event) => `data: ${JSON.stringify(event)}\n\n`).join(''));
const text = (delta: string) => ({ type: 'TEXT_MESSAGE_CONTENT', messageId: 'm', delta });
const finished = (content: string, outcome: object = { type: 'success' }) => ({
  type: 'RUN_FINISHED',
  runId: 'r',
  threadId: 't',
  result: { messages: [{ role: 'assistant', content }] },
  outcome,
});

type Era = 'auto' | 'legacy';

async function connected(
  headers: Record<string, string>,
  { era = 'auto', name = 'greeter' }: { era?: Era; name?: string } = {},
) {
  const client = new Client({ name: 'editor', version: '1.0.0' }, { versionNegotiation: { mode: era } });
  const address = new URL(`${app.url}/agents/${name}/mcp`);
  await client.connect(new StreamableHTTPClientTransport(address, { requestInit: { headers } }));
  return client;
}
const bearer = ({ token }: TestUser) => ({ authorization: `Bearer ${token}` });

test.each(['auto', 'legacy'] as const)('an agent is one tool, and its answer the result (client: %s)', async (era) => {
  const client = await connected(bearer(cal), { era });
  const { tools } = await client.listTools();
  expect(tools).toMatchObject([
    {
      name: 'greeter',
      description: 'Greets people',
      inputSchema: { required: ['message'], properties: { message: { type: 'string' } } },
    },
  ]);
  const told: string[] = [];
  const result = await client.callTool(
    { name: 'greeter', arguments: { message: 'Hello' } },
    { onprogress: ({ message = '' }) => told.push(message) },
  );
  expect(result).toMatchObject({ content: [{ text: 'Hello Ada' }], structuredContent: { status: 'completed' } });
  expect(told).toEqual(['Hello ', 'Ada']);
  expect(heard).toMatchObject([{ input: { messages: [{ role: 'user', content: 'Hello' }] } }]);
  await client.close();
});

test('an agent with fields has them as its input, and threads that go on', async () => {
  ready = { status: 'ready', input_schema: fields, keeps_threads: true };
  const client = await connected(bearer(cal));
  const [tool] = (await client.listTools()).tools;
  expect(tool?.inputSchema).toMatchObject({
    required: ['input'],
    properties: { input: { required: ['city', 'days'] }, thread_id: { type: 'string' } },
    $defs: { City: { type: 'string' } },
  });
  const call = async (args: Record<string, unknown>) => await client.callTool({ name: 'greeter', arguments: args });
  const first = await call({ input: { city: 'Bern', days: 2 } });
  const { thread_id } = first.structuredContent as { thread_id: string };
  await call({ input: { city: 'Bern', days: 3 }, thread_id });
  expect(heard.map((body) => [body.input, body.thread_id])).toEqual([
    [{ city: 'Bern', days: 2 }, thread_id],
    [{ city: 'Bern', days: 3 }, thread_id],
  ]);
  for (const wrong of [{}, { input: 'Bern' }, { input: {}, thread_id: 7 }, { input: {}, resume: 'yes' }])
    expect(await call(wrong)).toMatchObject({ isError: true, _meta: { 'gantry/problem': 'invalid' } });
  expect(heard).toHaveLength(2);
  await client.close();
});

test('a run that waits for a person says so, and where it is answered', async () => {
  ready = { status: 'ready', input_schema: conversation, keeps_threads: true };
  const interrupts = [{ id: 'i', metadata: { value: 'May I?' } }];
  answer = (response) => says(response, finished('', { type: 'interrupt', interrupts }));
  const client = await connected(bearer(cal));
  const { content, structuredContent } = await client.callTool({ name: 'greeter', arguments: { message: 'Pay' } });
  expect(content).toMatchObject([
    { text: expect.stringContaining('waits for a person, who is asked: May I?') as string },
  ]);
  expect(structuredContent).toMatchObject({ status: 'interrupted', thread_id: heard[0]?.thread_id });
  await client.close();
});

test('a client that cancels its call ends the run', async () => {
  answer = (response) => void response.write(`data: ${JSON.stringify(text('Wait'))}\n\n`);
  const client = await connected(bearer(cal));
  const leaving = new AbortController();
  const calling = client.callTool(
    { name: 'greeter', arguments: { message: 'Hello' } },
    { signal: leaving.signal, onprogress: () => leaving.abort() },
  );
  await expect(calling).rejects.toThrow();
  await expect.poll(() => left).toBe(1);
  await client.close();
});

test('who may not see the agent gets what an unknown name gets, and who is not signed in gets 401', async () => {
  const status = async (headers: Record<string, string>, name = 'greeter') =>
    await connected(headers, { name }).then(
      () => 200,
      (error: unknown) => (/\b(401|403|404)\b/.exec(String(error)) ?? [String(error)])[0],
    );
  expect(await status(bearer(cal))).toBe(200);
  expect(await status(bearer(otto))).toBe(await status(bearer(cal), 'nobody'));
  expect(await status(bearer(otto))).toBe('404');
  expect(await status({})).toMatch(/401|Unauthorized/);
});

test('a gateway key that names the agent calls it for its holder, and no other key', async () => {
  const keyOf = async (by: TestUser, body: object) => (await by.client.call('keys.create', { body })).key ?? '';
  const client = await connected({ 'x-api-key': await keyOf(cal, { models: ['agents/greeter'] }) });
  const result = await client.callTool({ name: 'greeter', arguments: { message: 'Hello' } });
  expect(result).toMatchObject({ content: [{ text: 'Hello Ada' }] });
  await client.close();
  await expect(
    connected({ 'x-api-key': await keyOf(app.admin, { scope: 'agent', scope_id: 'greeter', models: ['*'] }) }),
  ).rejects.toThrow();
});

const list = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list' });
const ask = async (
  headers: Record<string, string>,
): Promise<{ status: number; text: string; headers: IncomingHttpHeaders }> =>
  await new Promise((resolve, reject) => {
    const asking = request(
      `${app.url}/agents/greeter/mcp`,
      { method: 'POST', headers: { ...bearer(cal), ...json, ...headers } },
      (answered) =>
        void read(answered).then(
          (said) => resolve({ status: answered.statusCode ?? 0, text: said, headers: answered.headers }),
          reject,
        ),
    );
    asking.once('error', reject).end(list);
  });

test('a page of another site, and a foreign name of this service, get 403 with any token', async () => {
  expect((await ask({})).status).toBe(200);
  expect((await ask({ origin: app.url })).status).toBe(200);
  for (const [name, value] of [
    ['origin', 'https://evil.example'],
    ['origin', 'null'],
    ['host', 'evil.example'],
  ] as const)
    expect(await ask({ [name]: value })).toMatchObject({
      status: 403,
      text: expect.stringContaining('cross_site') as string,
    });
  await app.admin.client.call('org.set', { body: { browser_origins: ['https://inspector.example'] } });
  const answered = await ask({ origin: 'https://inspector.example' });
  expect([answered.status, answered.headers['access-control-allow-origin']]).toEqual([
    200,
    'https://inspector.example',
  ]);
});
