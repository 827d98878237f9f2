// Calls with an Idempotency-Key, with a plain HTTP server in place of the agent's container.
import { randomUUID } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import { json } from 'node:stream/consumers';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { sql } from '../../../ground/database/sql.ts';
import { standInFor } from '../../../testing/agents/agent-stand-in.ts';
import { storeAgent } from '../../../testing/stored/stored-agent.ts';
import { testApp, type TestApp, type TestUser } from '../../../testing/test-app.ts';

let app: TestApp;
let ada: TestUser;
let bob: TestUser;
let calls: unknown[];
let answer: (response: ServerResponse) => void;

beforeAll(async () => {
  app = await testApp({ config: { engine_host: 'unix:///nonexistent.sock' } });
  ada = await app.user('ada@example.com', { teams: { ml: 'admin' } });
  bob = await app.user('bob@example.com', { teams: { ml: 'viewer' } });
  await standInFor(app, await storeAgent(app, ada.email, { name: 'greeter' }), (request, response) => {
    if (request.url !== '/invoke') return void response.writeHead(202).end('{}');
    void (async () => {
      calls.push(await json(request));
      answer(response);
    })();
  });
});
afterAll(async () => await app?.stop());
beforeEach(() => {
  calls = [];
  answer = (response) =>
    void response.writeHead(200, { 'content-type': 'application/json' }).end(`{"output":"answer ${calls.length}"}`);
});

async function call(key: string, text: string, { token }: TestUser = ada) {
  const response = await fetch(`${app.url}/agents/greeter/invoke`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json', 'idempotency-key': key },
    body: JSON.stringify({ input: { text } }),
  });
  const said = (await response.json()) as { output?: string; code?: string };
  return { status: response.status, run_id: response.headers.get('x-run-id'), said: said.output ?? said.code };
}

test('is begun once: a repeat has the same answer, another content is refused, and the key of another caller is another call', async () => {
  const key = randomUUID();
  const [one, two] = await Promise.all([call(key, 'hi'), call(key, 'hi')]);
  expect(one).toMatchObject({ status: 200, said: 'answer 1' });
  expect([two, await call(key, 'hi')]).toEqual([one, one]);
  expect(await call(key, 'other')).toMatchObject({ status: 409, said: 'idempotency_conflict' });
  const read = async ({ token }: TestUser) => {
    const headers = { authorization: `Bearer ${token}` };
    return (await fetch(`${app.url}/agents/greeter/runs/${key}`, { headers })).status;
  };
  expect([await read(ada), await read(bob)]).toEqual([200, 404]);
  expect(await call(key, 'mine', bob)).toMatchObject({ status: 200, said: 'answer 2' });
  expect(calls).toHaveLength(2);
});

test('has its answer for a repeat while the container restarts, when a new call is refused', async () => {
  const key = randomUUID();
  const begun = Promise.withResolvers<ServerResponse>();
  answer = begun.resolve;
  const first = call(key, 'hi');
  const response = await begun.promise;
  const instance = async (url: string | null) =>
    await app.db.one<{ url: string }>(
      sql`update instance i set url = ${url} from (select id, url from instance) o where o.id = i.id returning o.url`,
    );
  const was = await instance(null);
  expect(await call(randomUUID(), 'hi')).toMatchObject({ status: 503, said: 'agent_unavailable' });
  const repeat = call(key, 'hi');
  response.writeHead(200, { 'content-type': 'application/json' }).end('{"output":"late"}');
  expect(await first).toMatchObject({ status: 200, said: 'late' });
  expect(await repeat).toEqual(await first);
  await instance(was?.url ?? null);
});

test('is begun by a repeat, when a full agent has refused it', async () => {
  const key = randomUUID();
  const done = answer;
  answer = (response) => {
    response.setHeader('x-svc-not-begun', 'full');
    response.writeHead(429, { 'content-type': 'application/problem+json' }).end('{"code":"too_many_runs"}');
  };
  expect(await call(key, 'hi')).toMatchObject({ status: 429 });
  answer = done;
  expect(await call(key, 'hi')).toMatchObject({ status: 200, said: 'answer 2' });
});

test('needs a key of visible characters', async () => {
  expect(await call('a b', 'hi')).toMatchObject({ status: 400, said: 'malformed' });
  expect(calls).toEqual([]);
});
