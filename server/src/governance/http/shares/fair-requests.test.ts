// Every endpoint counts for its caller: who has a quarter of the connections gets no more, whatever the endpoint, and others are answered.
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Endpoint } from '@gantry/contract/endpoint.ts';
import { endpoints } from '@gantry/contract/endpoints.ts';
import { faultyUpstream, hangs, type FaultyUpstream } from '../../../testing/models/faulty-upstream.ts';
import { testApp, type TestApp, type TestUser } from '../../../testing/test-app.ts';

const most_open = 10;

let app: TestApp;
let upstream: FaultyUpstream;
let ada: TestUser;
let max: TestUser;
let keys: { ada: string; max: string };
beforeAll(async () => {
  upstream = await faultyUpstream();
  app = await testApp({
    config: {
      engine_host: 'unix:///nowhere/docker.sock',
      outbound_private_hosts: [upstream.host],
      max_connections: 4 * most_open,
    },
  });
  ada = await app.user('ada@example.com', { teams: { ml: 'contributor' } });
  max = await app.user('max@example.com', { teams: { ml: 'admin' } });
  for (const name of ['slow', 'quick'])
    await max.client.call('registry.create', {
      params: { kind: 'model' },
      body: { name, team: 'ml', config: { provider: 'test', model: name, base_url: upstream.at(name) } },
    });
  upstream.behave('slow', hangs);
  const keyOf = async ({ client }: TestUser) => (await client.call('keys.create', { body: {} })).key ?? '';
  keys = { ada: await keyOf(ada), max: await keyOf(max) };
});
afterAll(async () => {
  await app?.stop();
  await upstream?.stop();
});

const send = async (credential: string, method: string, path: string, more: RequestInit = {}) =>
  await fetch(`${app.url}${path}`, {
    method,
    headers: { authorization: `Bearer ${credential}`, 'content-type': 'application/json' },
    ...(method === 'GET' ? {} : { body: '{}' }),
    ...more,
  });
const callModel = async (key: string, model: string, signal?: AbortSignal) =>
  await send(key, 'POST', '/v1/chat/completions', {
    body: JSON.stringify({ model, messages: [{ role: 'user', content: 'Hello' }] }),
    ...(signal && { signal }),
  });

test('a caller with a quarter of the connections is refused at every endpoint but the probes, and nobody else is', async () => {
  // A user and the user's own keys are one caller, after the first request of each.
  await send(ada.token, 'GET', '/api/v1/auth/me');
  await callModel(keys.ada, 'quick');
  const leaving = new AbortController();
  const before = upstream.journal.length;
  const held = Array.from({ length: most_open }, async () => await callModel(keys.ada, 'slow', leaving.signal));
  await expect.poll(() => upstream.journal.length - before, { timeout: 10_000 }).toBe(most_open);

  const answers = new Map<string, string>();
  for (const [name, { method, path, surface }] of Object.entries<Endpoint>(endpoints)) {
    const credential = ['gateway', 'gemini', 'ollama'].includes(surface ?? 'api') ? keys.ada : ada.token;
    const answered = await send(credential, method, path.replaceAll(/\{\w+\}/g, 'any'));
    const text = await answered.text();
    const isRefused = answered.status === 429 && answered.headers.get('retry-after') === '1';
    // OAuth has a word of its own for it.
    const word = surface === 'oauth' ? 'temporarily_unavailable' : 'too_many_requests';
    answers.set(name, isRefused && text.includes(word) ? 'refused' : `answered ${answered.status}`);
  }
  const open = [...answers].filter(([, answer]) => answer !== 'refused');
  expect(open.map(([name]) => name)).toEqual(['service.livez', 'service.readyz', 'service.metrics']);

  expect((await callModel(keys.max, 'quick')).status).toBe(200);
  expect((await send(max.token, 'GET', '/api/v1/home')).status).toBe(200);
  leaving.abort();
  await Promise.allSettled(held);
  await expect.poll(async () => (await send(ada.token, 'GET', '/api/v1/home')).status, { timeout: 10_000 }).toBe(200);
});
