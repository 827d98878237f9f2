// Files in calls to agents that list them in agent.yaml, and to one that does not, by each way in. A plain HTTP server stands in for the containers.
import type { RequestListener } from 'node:http';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { sql } from '../../../ground/database/sql.ts';
import { standInFor } from '../../../testing/agents/agent-stand-in.ts';
import { storeAgent } from '../../../testing/stored/stored-agent.ts';
import { testApp, type TestApp, type TestUser } from '../../../testing/test-app.ts';

let app: TestApp;
let ada: TestUser;
let key: string;
/** The bodies that an agent has got. */
let got: string[] = [];
const json = { 'content-type': 'application/json' };
const events = { 'content-type': 'text/event-stream' };

const container: RequestListener = (request, response) => {
  const chunks: Buffer[] = [];
  request.on('data', (chunk: Buffer) => chunks.push(chunk));
  request.on('end', () => {
    const { url = '', method } = request;
    const ready = { input_schema: { properties: { messages: { type: 'array' } } }, keeps_threads: false };
    if (method === 'GET') return void response.writeHead(200, json).end(JSON.stringify(url === '/ready' ? ready : {}));
    got.push(Buffer.concat(chunks).toString());
    if (url === '/stream') return void response.writeHead(200, events).end('data: {"type":"RUN_FINISHED"}\n\n');
    response.writeHead(200, json).end('{"status":"completed","output":"seen"}');
  });
};

beforeAll(async () => {
  app = await testApp({ config: { engine_host: 'unix:///nowhere/docker.sock' } });
  ada = await app.user('ada@example.com', { teams: { ml: 'admin' } });
  const agents = { seer: 'files: [image/png, "text/*"]\n', open: '', shut: 'files: []\n' };
  for (const [name, yaml] of Object.entries(agents))
    await standInFor(app, await storeAgent(app, ada.email, { name, yaml }), container);
  const models = Object.keys(agents).map((name) => `agents/${name}`);
  key = (await ada.client.call('keys.create', { body: { models } })).key ?? '';
});
afterAll(async () => await app?.stop());
beforeEach(() => (got = []));

const mb = 1024 ** 2;
const png = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 0]).toString('base64');
const tiff = Buffer.from('II*').toString('base64');
const picture = { type: 'image', mime_type: 'image/png', base64: png, extras: { filename: 'a.png' } };
const scan = { type: 'file', mime_type: 'image/tiff', base64: tiff, extras: { filename: 'scan.tiff' } };
const asUrl = ({ mime_type, base64 }: typeof picture) => ({
  type: 'image_url',
  image_url: { url: `data:${mime_type};base64,${base64}` },
});
const saying = (...parts: object[]) => [{ role: 'user', content: [{ type: 'text', text: 'What is it?' }, ...parts] }];

const post = async (path: string, body: object, headers: Record<string, string> = {}) => {
  const authorization = `Bearer ${path.startsWith('/v1') ? key : ada.token}`;
  const answer = await fetch(app.url + path, {
    method: 'POST',
    headers: { authorization, ...json, ...headers },
    body: JSON.stringify(body),
  });
  return { status: answer.status, text: await answer.text() };
};
const invoke = async (agent: string, ...parts: object[]) =>
  await post(`/agents/${agent}/invoke`, { input: { messages: saying(...parts) } });

type Send = (agent: string, part: typeof picture) => ReturnType<typeof post>;
const detached = { prefer: 'respond-async' };
const ways: readonly [string, Send][] = [
  ['invoke', async (agent, part) => await invoke(agent, part)],
  [
    'invoke, stored',
    async (agent, part) => await post(`/agents/${agent}/invoke`, { input: { messages: saying(part) } }, detached),
  ],
  [
    'invoke, with a key',
    async (agent, part) =>
      await post(
        `/agents/${agent}/invoke`,
        { input: { messages: saying(part) } },
        { 'idempotency-key': crypto.randomUUID() },
      ),
  ],
  ['stream', async (agent, part) => await post(`/agents/${agent}/stream`, { input: { messages: saying(part) } })],
  [
    'stream, stored',
    async (agent, part) => await post(`/agents/${agent}/stream`, { input: { messages: saying(part) } }, detached),
  ],
  [
    'AG-UI',
    async (agent, { mime_type: mimeType, base64: value }) => {
      const content = [{ type: 'image', source: { type: 'data', mimeType, value } }];
      const messages = [{ id: 'u1', role: 'user', content }];
      return await post(`/agents/${agent}/stream`, { threadId: 't', runId: 'r', messages });
    },
  ],
  [
    'Chat Completions',
    async (agent, part) =>
      await post('/v1/chat/completions', { model: `agents/${agent}`, messages: saying(asUrl(part)) }),
  ],
  [
    'Responses',
    async (agent, part) => {
      const content = [{ type: 'input_image', image_url: asUrl(part).image_url.url }];
      return await post('/v1/responses', { model: `agents/${agent}`, input: [{ role: 'user', content }] });
    },
  ],
  [
    "langgraph's API, waited for",
    async (agent, part) =>
      await post(`/agents/${agent}/langgraph/runs/wait`, { assistant_id: agent, input: { messages: saying(part) } }),
  ],
  [
    "langgraph's API, as a stream",
    async (agent, part) =>
      await post(`/agents/${agent}/langgraph/runs/stream`, { assistant_id: agent, input: { messages: saying(part) } }),
  ],
  [
    "langgraph's API, in the background",
    async (agent, part) =>
      await post(`/agents/${agent}/langgraph/runs`, { assistant_id: agent, input: { messages: saying(part) } }),
  ],
  [
    'A2A',
    async (agent, part) => {
      const parts = [{ data: { messages: saying(part) } }];
      const message = { messageId: crypto.randomUUID(), role: 'ROLE_USER', parts };
      return await post(`/agents/${agent}/a2a/message:send`, { message }, { 'a2a-version': '1.0' });
    },
  ],
];

describe.each(ways)('by %s', (_, send) => {
  test('a file of a type that the agent lists reaches it, and one of another type does not', async () => {
    expect(await send('seer', picture)).toMatchObject({
      status: expect.toSatisfy((status) => status === 200 || status === 202),
    });
    await expect.poll(() => got.length).toBe(1);
    expect(got[0]).toContain(png);
    const { status, text } = await send('seer', scan);
    expect([status, text]).toEqual([422, expect.stringContaining('file_refused')]);
    expect(text).toContain('is image/tiff. The agent takes image/png and text/*.');
    expect(got).toHaveLength(1);
  });

  test('a file of any type reaches an agent that lists none', async () => {
    expect(await send('open', scan)).toMatchObject({
      status: expect.toSatisfy((status) => status === 200 || status === 202),
    });
    await expect.poll(() => got.length).toBe(1);
    expect(got[0]).toContain(tiff);
  });
});

const pdf = { mime_type: 'application/pdf', base64: Buffer.from('%PDF-1.7').toString('base64') };
const csv = { mime_type: 'text/csv', base64: 'YSxi' };
const named = { extras: { filename: 'a.csv' } };
const dataUrl = ({ mime_type, base64 }: typeof csv) => `data:${mime_type};base64,${base64}`;
const documents: readonly [string, (agent: string, file: typeof csv) => ReturnType<typeof post>, object][] = [
  [
    'Chat Completions',
    async (agent, file) => {
      const part = { type: 'file', file: { filename: 'a.csv', file_data: dataUrl(file) } };
      return await post('/v1/chat/completions', { model: `agents/${agent}`, messages: saying(part) });
    },
    named,
  ],
  [
    'Responses',
    async (agent, file) => {
      const content = [{ type: 'input_file', filename: 'a.csv', file_data: dataUrl(file) }];
      return await post('/v1/responses', { model: `agents/${agent}`, input: [{ role: 'user', content }] });
    },
    named,
  ],
  [
    'AG-UI',
    async (agent, { mime_type: mimeType, base64: value }) => {
      const content = [{ type: 'document', source: { type: 'data', mimeType, value } }];
      const messages = [{ id: 'u1', role: 'user', content }];
      return await post(`/agents/${agent}/stream`, { threadId: 't', runId: 'r', messages });
    },
    {},
  ],
  [
    'A2A',
    async (agent, { mime_type: mediaType, base64: raw }) => {
      const parts = [{ text: 'What is it?' }, { raw, mediaType, filename: 'a.csv' }];
      const message = { messageId: crypto.randomUUID(), role: 'ROLE_USER', parts };
      return await post(`/agents/${agent}/a2a/message:send`, { message }, { 'a2a-version': '1.0' });
    },
    named,
  ],
  [
    'A2A 0.3',
    async (agent, { mime_type: mimeType, base64: bytes }) => {
      const file = { kind: 'file', file: { bytes, mimeType, name: 'a.csv' } };
      const message = { kind: 'message', messageId: crypto.randomUUID(), role: 'user', parts: [file] };
      const rpc = { jsonrpc: '2.0', id: 1, method: 'message/send', params: { message } };
      return await post(`/agents/${agent}/a2a`, rpc);
    },
    named,
  ],
];

test('an address by A2A is refused, and so is a file to an agent that lists none', async () => {
  const send = async (agent: string, part: object) => {
    const message = { messageId: crypto.randomUUID(), role: 'ROLE_USER', parts: [part] };
    return await post(`/agents/${agent}/a2a/message:send`, { message }, { 'a2a-version': '1.0' });
  };
  const { text } = await send('seer', { url: 'https://a.example/b.csv', mediaType: 'text/csv' });
  expect(text).toContain('is an address or an id');
  expect((await send('open', { raw: 'YSxi', mediaType: 'text/csv' })).text).toContain('no files');
  expect(got).toEqual([]);
  const card = await fetch(`${app.url}/agents/seer/.well-known/agent-card.json`, {
    headers: { authorization: `Bearer ${ada.token}` },
  });
  expect(await card.json()).toMatchObject({
    defaultInputModes: ['text/plain', 'application/json', 'image/png', 'text/*'],
  });
});

test.each(documents)(
  'a document of %s has the form of langchain where the agent lists its type, and is refused where not',
  async (_, send, more) => {
    expect((await send('seer', csv)).status).toBe(200);
    const { input } = JSON.parse(got[0] ?? '') as { input: { messages: { content: object[] }[] } };
    expect(input.messages[0]?.content.at(-1)).toEqual({ type: 'file', ...csv, ...more });
    const { status, text } = await send('seer', pdf);
    expect([status, text]).toEqual([422, expect.stringContaining('is application/pdf. The agent takes')]);
    expect(got).toHaveLength(1);
  },
);

test('an agent with an empty list gets no file, and a text all the same', async () => {
  expect(await invoke('shut', picture)).toMatchObject({ status: 422, text: expect.stringContaining('takes no files') });
  expect(await invoke('shut')).toMatchObject({ status: 200 });
  expect(got).toHaveLength(1);
});

test('a refusal names each file, the types that the agent takes, and where the file is', async () => {
  const { text } = await invoke('seer', scan, picture, asUrl({ ...picture, base64: 'PGh0bWw+' }));
  expect(JSON.parse(text)).toMatchObject({
    code: 'file_refused',
    detail: 'agents/seer: "scan.tiff" is image/tiff. The agent takes image/png and text/*.',
    errors: [
      {
        pointer: '/input/messages/0/content/1',
        message: '"scan.tiff" is image/tiff. The agent takes image/png and text/*.',
      },
      {
        pointer: '/input/messages/0/content/3',
        message: 'A file (image) says that it is image/png, and its content is not.',
      },
    ],
  });
});

test.each<[string, object]>([
  ['in a message of another name', { input: { history: saying(scan) } }],
  ['in a message within a list', { input: { messages: [['user', [scan]]] } }],
  ['in a message as langchain stores it', { input: { messages: [{ lc: 1, kwargs: { content: [scan] } }] } }],
  ['in the result of a tool', { input: { messages: saying({ type: 'tool_result', content: [scan] }) } }],
  ['in an answer to a question', { thread_id: 't', resume: { picture: scan } }],
  ['in the context', { input: { messages: [] }, context: { picture: scan } }],
  ['in the config', { input: { messages: [] }, config: { configurable: { picture: scan } } }],
  [
    'at an address',
    { input: { messages: saying({ type: 'image_url', image_url: { url: 'https://a.example/b.png' } }) } },
  ],
  ['with an address beside its content', { input: { messages: saying({ ...picture, url: 'https://a.example/b' }) } }],
])('a file %s is refused', async (_, body) => {
  expect(await post('/agents/seer/invoke', body)).toMatchObject({ status: 422 });
  expect(got).toEqual([]);
});

test('the name of a member that is written with an escape hides no file', async () => {
  const body = JSON.stringify({ input: { messages: saying(scan) } }).replaceAll('"type"', String.raw`"\u0074ype"`);
  const headers = { authorization: `Bearer ${ada.token}`, ...json };
  const { status } = await fetch(`${app.url}/agents/seer/invoke`, { method: 'POST', headers, body });
  expect([status, got]).toEqual([422, []]);
});

test('a body of millions of values, long names and many files is refused in little time and few words', async () => {
  const name = 'n'.repeat(2 * mb);
  const lists = Array.from({ length: 20_000 }, () => [{ type: 'image', url: 'a:' }]);
  const bodies = [
    { input: { numbers: Array.from({ length: 2_000_000 }, () => 1), lists: [scan] } },
    { input: { [name]: lists } },
    { input: { lists: Array.from({ length: 50_000 }, () => [picture]), last: scan } },
  ];
  for (const body of bodies) {
    const began = process.cpuUsage();
    const { status, text } = await post('/agents/seer/invoke', body);
    expect(status).toBe(422);
    expect(text.length).toBeLessThan(5000);
    expect(process.cpuUsage(began).user).toBeLessThan(5_000_000);
  }
});

test('the organisation sets the size of the largest file, and a message has at most ten', async () => {
  const note = (bytes: number) => ({
    type: 'file',
    mime_type: 'text/csv',
    base64: Buffer.alloc(bytes, 'x').toString('base64'),
    filename: 'a.csv',
  });
  expect(await invoke('seer', note(5 * mb))).toMatchObject({ status: 200 });
  const { status, text } = await invoke('seer', note(5 * mb + 1024));
  expect([status, text]).toEqual([422, expect.stringContaining('A file has at most 5 MB.')]);
  await app.admin.client.call('org.set', { body: { message_file_mb: 7 } });
  expect(await invoke('seer', note(7 * mb))).toMatchObject({ status: 200 });
  expect(await invoke('seer', note(4 * mb), note(3 * mb), note(1))).toMatchObject({
    status: 422,
    text: expect.stringContaining('have at most 7 MB together'),
  });
  await app.admin.client.call('org.set', { body: { message_file_mb: 1 } });
  expect(await invoke('seer', note(mb + 1024))).toMatchObject({ status: 422 });
  await app.admin.client.call('org.set', { body: { message_file_mb: 5 } });
  const ten = Array.from({ length: 10 }, () => picture);
  expect(await invoke('seer', ...ten)).toMatchObject({ status: 200 });
  expect(await invoke('seer', ...ten, picture)).toMatchObject({
    status: 422,
    text: expect.stringContaining('A message has at most 10 files, and this one has 11.'),
  });
});

test('who may call an agent reads which files it takes', async () => {
  const taken = async (name: string) => (await ada.client.call('invoke.input', { params: { name } })).files;
  expect(await taken('seer')).toEqual({
    types: ['image/png', 'text/*'],
    max_bytes: 5 * mb,
    max_files: 10,
    max_message_bytes: 7 * mb,
  });
  expect(await taken('shut')).toMatchObject({ types: [] });
  expect(await taken('open')).toBeNull();
});

test('a sleeping agent is not woken for a file that it does not take', async () => {
  const stored = await storeAgent(app, ada.email, {
    name: 'sleeper',
    yaml: 'files: [image/png]\ndeploy: {scaling: {min: 0}}\n',
  });
  await standInFor(app, stored, container);
  await app.db.run(
    sql`delete from instance where revision_id in (select id from revision where agent_id = ${stored.asset_id})`,
  );
  for (const path of ['invoke', 'stream'])
    expect(await post(`/agents/sleeper/${path}`, { input: { messages: saying(scan) } })).toMatchObject({ status: 422 });
  expect(
    await app.db.all(
      sql`select from instance where revision_id in (select id from revision where agent_id = ${stored.asset_id})`,
    ),
  ).toEqual([]);
});
