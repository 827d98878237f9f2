import type { ServerResponse } from 'node:http';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { standInFor } from '../../testing/agents/agent-stand-in.ts';
import { storeAgent } from '../../testing/stored/stored-agent.ts';
import { testApp, type TestApp, type TestUser } from '../../testing/test-app.ts';

let app: TestApp;
let ada: TestUser;
let asked: string | undefined;
let answer: (response: ServerResponse) => void;

beforeAll(async () => {
  app = await testApp({ config: { engine_host: 'unix:///nowhere/docker.sock' } });
  ada = await app.user('ada@example.com', { teams: { ml: 'contributor' } });
  const stored = await storeAgent(app, ada.email, { name: 'greeter', team: 'ml', yaml: '' });
  await standInFor(app, stored, (request, response) => {
    asked = request.url;
    response.setHeader('content-type', 'application/json');
    answer(response);
  });
}, 60_000);
afterAll(async () => await app?.stop());

const input = async () => await ada.client.call('invoke.input', { params: { name: 'greeter' } });

test("an agent's callers can read its input schema", async () => {
  const input_schema = { type: 'object', properties: { message: { type: 'string' } } };
  answer = (response) => response.end(JSON.stringify({ status: 'ready', input_schema }));
  expect(await input()).toEqual({ input_schema, keeps_threads: false, files: null });
  expect(asked).toBe('/ready');
});

test.each(['{}', 'not JSON', '[]', '{"input_schema":"a text"}'])(
  'an agent that answers %s has no input schema',
  async (said) => {
    answer = (response) => response.end(said);
    expect(await input()).toEqual({ input_schema: null, keeps_threads: false, files: null });
  },
);

test('an agent that is not ready is unavailable', async () => {
  answer = (response) => response.writeHead(503).end('{"status":"starting"}');
  await expect(input()).rejects.toMatchObject({ code: 'agent_unavailable' });
});
