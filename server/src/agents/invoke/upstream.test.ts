// The traffic between the ingress and a container, seen from the container. A plain HTTP server stands in for it.
import { createHmac } from 'node:crypto';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { jwtVerify } from 'jose';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { readAnswer } from './answer.ts';
import { prove } from '../../testing/agents/agent-stand-in.ts';
import { traceContext } from '../../ground/trace-context.ts';
import { startSpan } from '../../models/traces/start-span.ts';
import { agentConnections } from '../deploy/connections/agent-connections.ts';
import { callAgent, type UpstreamCall } from './upstream.ts';

let server: Server;
let url: string;
let seen: { method: string; target: string; headers: IncomingMessage['headers']; body: string };
let answer: (response: ServerResponse) => void;
const connections = agentConnections();

beforeAll(async () => {
  server = createServer((request, response) => {
    if (request.url === '/identity') return prove(secret, request, response);
    let body = '';
    request.on('data', (chunk: Buffer) => (body += chunk.toString()));
    request.on('end', () => {
      seen = { method: request.method ?? '', target: request.url ?? '', headers: request.headers, body };
      answer(response);
    });
  });
  await new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`; // a TCP server that listens has one
});
afterAll(async () => {
  await connections.destroy();
  server.close();
});

const secret = 'the secret of this revision';
const origin = { request_id: null, ip: null, receipts: [] };
const caller = {
  kind: 'user',
  id: 'user-1',
  email: 'ada@example.com',
  label: 'ada@example.com',
  memberships: [{ team_id: 't', team: 'ml', role: 'viewer' }],
  origin,
} as unknown as NonNullable<UpstreamCall['caller']>; // only these members are read
const agent = { id: '0192f0c4-1111-7000-8000-000000000000', ref: 'agents/greeter' };

const at = (to: string) => ({ instance_id: 'i', secret, reach: async () => ({ url: to, headers: {} }) });
const send = async (more: Partial<UpstreamCall> = {}) =>
  await callAgent(connections, {
    instance: at(url),
    agent,
    caller,
    method: 'POST',
    path: '/invoke',
    ...more,
  });

const says =
  (status: number, headers: Record<string, string>, body = '{}') =>
  (response: ServerResponse) =>
    void response.writeHead(status, headers).end(body);
const json = { 'content-type': 'application/json' };

test("only the caller's allow-listed headers and the ingress's own headers arrive", async () => {
  answer = says(200, json);
  const headers = new Headers({
    authorization: 'Bearer of the caller',
    'proxy-authorization': 'Basic x',
    cookie: 'session=1',
    'x-service-team': 'ml',
    'x-svc-ingress-secret': 'forged',
    'x-svc-caller': 'forged',
    'x-svc-thread-space': 'forged',
    'x-svc-run-id': 'forged',
    'x-svc-run': 'forged',
    'x-forwarded-for': '10.0.0.1',
    forwarded: 'for=10.0.0.1',
    prefer: 'respond-async',
    accept: 'text/event-stream',
    'content-type': 'application/json',
    traceparent: '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-00',
    tracestate: 'vendor=1',
  });
  const span = startSpan();
  const { body } = await send({
    headers,
    run: {
      id: '11111111-1111-4111-8111-111111111111',
      root_run_id: '11111111-1111-4111-8111-111111111111',
      token: 'token',
      trace: traceContext(headers),
      hidden: { inputs: true, outputs: true },
      span,
    },
    body: Buffer.from('{"input":{"n":12345678901234567890}}'),
  });
  await body.dump();
  expect(seen).toMatchObject({ method: 'POST', target: '/invoke', body: '{"input":{"n":12345678901234567890}}' });
  const { 'x-svc-caller': token, host, connection, ...rest } = seen.headers;
  expect([host, connection]).toEqual([url.slice('http://'.length), 'keep-alive']);
  expect(rest).toEqual({
    'x-svc-ingress-secret': secret,
    'x-svc-thread-space': createHmac('sha256', agent.id).update('user-1').digest('base64url').slice(0, 22),
    'x-svc-run-id': '11111111-1111-4111-8111-111111111111',
    'x-svc-run': 'token',
    'x-svc-hidden': 'inputs,outputs',
    accept: 'text/event-stream',
    'content-type': 'application/json',
    traceparent: `00-0af7651916cd43dd8448eb211c80319c-${span.span_id}-01`,
    tracestate: 'vendor=1',
    'content-length': '36',
  });
  const { payload, protectedHeader } = await jwtVerify(String(token), Buffer.from(secret), {
    audience: 'agents/greeter',
    issuer: 'gantry',
  });
  expect(protectedHeader).toEqual({ alg: 'HS256', typ: 'caller+jwt' });
  expect(payload).toMatchObject({ sub: 'user-1', email: 'ada@example.com', teams: ['ml'] });
  expect((payload.exp ?? 0) - (payload.iat ?? 0)).toBe(60);
});

test('threads of two callers, and of one caller at two agents, have different names', async () => {
  answer = says(200, json);
  const spaces = new Set<unknown>();
  for (const id of ['user-1', 'user-2'])
    for (const agent_id of ['a', 'b']) {
      await (await send({ caller: { ...caller, id }, agent: { ...agent, id: agent_id } })).body.dump();
      spaces.add(seen.headers['x-svc-thread-space']);
    }
  expect(spaces.size).toBe(4);
});

test.each([200, 400, 404, 409, 413, 415, 422, 429, 500, 503])("the wrapper's %i passes", async (status) => {
  answer = says(status, { ...json, 'retry-after': '5', 'set-cookie': 'a=b' }, '{"output":1}');
  const { body, ...passed } = await send();
  expect(passed).toEqual({ status, content_type: 'application/json', retry_after: '5' });
  expect(await body.text()).toBe('{"output":1}');
});

test.each([301, 307, 401, 407, 418, 511])('%i is not passed on', async (status) => {
  answer = says(status, { ...json, location: 'https://elsewhere.example/' });
  await expect(send()).rejects.toMatchObject({
    code: 'agent_error',
    detail: `agents/greeter answered with a status that is not passed on: ${status}`,
  });
});

test.each([
  'text/html',
  'image/svg+xml',
  'application/xhtml+xml',
  'text/javascript',
  'application/json-patch+json',
  'text/plainx',
])('%s is not passed on', async (type) => {
  answer = says(200, { 'content-type': type }, '<script>alert(1)</script>');
  await expect(send()).rejects.toMatchObject({ code: 'agent_error' });
});

test.each([
  'application/json; charset=utf-8',
  'text/plain',
  'text/event-stream; charset=utf-8',
  'application/problem+json',
])('%s passes', async (type) => {
  answer = says(200, { 'content-type': type });
  const { content_type, body } = await send();
  await body.dump();
  expect(content_type).toBe(type);
});

test('an agent whose address does not answer is unavailable', async () => {
  await expect(send({ instance: at('http://127.0.0.1:9') })).rejects.toMatchObject({
    code: 'agent_unavailable',
  });
});

test('an agent whose connection breaks within the answer is unavailable', async () => {
  answer = (response) => {
    response.writeHead(200, { ...json, 'content-length': '100' }).write('{"output":');
    setTimeout(() => response.destroy(), 20);
  };
  await expect(readAnswer('agents/greeter', await send())).rejects.toMatchObject({ code: 'agent_unavailable' });
});

test('an endless answer is cut off', async () => {
  answer = (response) => {
    response.writeHead(200, json);
    const more = () => {
      while (!response.destroyed && response.write(Buffer.alloc(1024 ** 2, 'x')));
      response.once('drain', more);
    };
    more();
  };
  await expect(readAnswer('agents/greeter', await send())).rejects.toMatchObject({
    code: 'agent_error',
    detail: 'The answer of agents/greeter is larger than 32 MB.',
  });
});

test('a caller that disconnects ends the connection', async () => {
  const gone = Promise.withResolvers<void>();
  answer = (response) => {
    response.on('close', () => gone.resolve());
    response.writeHead(200, { 'content-type': 'text/event-stream' }).write('data: {}\n\n');
  };
  const hangUp = new AbortController();
  const { body } = await send({ path: '/stream', signal: hangUp.signal });
  body.on('error', () => {}); // the cut is intended
  hangUp.abort();
  await expect(gone.promise).resolves.toBeUndefined();
});
