// What the container of an agent gets about its run, and what the caller gets. A plain HTTP server stands in for the container.
import type { IncomingHttpHeaders } from 'node:http';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { sql } from '../../../ground/database/sql.ts';
import { readRunToken } from '../../../ground/run-token.ts';
import { standInFor } from '../../../testing/agents/agent-stand-in.ts';
import { storeAgent, type StoredAgent } from '../../../testing/stored/stored-agent.ts';
import { testApp, type TestApp, type TestUser } from '../../../testing/test-app.ts';

let app: TestApp;
let ada: TestUser;
let agent: StoredAgent;
let got: IncomingHttpHeaders;
const lines: string[] = [];

beforeAll(async () => {
  app = await testApp({ config: { engine_host: 'unix:///nonexistent.sock' }, onLog: (line) => lines.push(line) });
  ada = await app.user('ada@example.com', { teams: { ml: 'admin' } });
  agent = await storeAgent(app, ada.email, { name: 'greeter' });
  await standInFor(app, agent, ({ headers }, response) => {
    got = headers;
    response.writeHead(200, { 'content-type': 'application/json' }).end('{"output":1}');
  });
});
afterAll(async () => await app?.stop());

const send = async (path: string, headers: Record<string, string> = {}) =>
  await fetch(`${app.url}/agents/greeter/${path}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${ada.token}`, 'content-type': 'application/json', ...headers },
    body: '{"input":{}}',
  });

const trace_id = '0af7651916cd43dd8448eb211c80319c';
const traceparent = `00-${trace_id}-b7ad6b7169203331-01`;

test.each(['invoke', 'stream'])(
  '%s has a run and a trace, in the container, in the reply and in the log',
  async (path) => {
    const { headers } = await send(path, { traceparent, 'x-svc-run': 'forged', 'x-run-id': 'forged' });
    const run_id = headers.get('x-run-id');
    expect(got['x-svc-run-id']).toBe(run_id);
    // The parent of what the container calls is the call itself.
    expect(got['traceparent']).toMatch(/^00-0af7651916cd43dd8448eb211c80319c-[0-9a-f]{16}-01$/);
    expect(got['traceparent']).not.toBe(traceparent);
    expect(headers.get('x-trace-id')).toBe(trace_id);
    expect(lines.map((line) => JSON.parse(line) as Record<string, unknown>)).toContainEqual(
      expect.objectContaining({ path: `/agents/greeter/${path}`, trace_id }),
    );
    const user = await app.db.one<{ id: string }>(sql`select id from app_user where email = ${ada.email}`);
    const route = await app.db.one<{ revision_id: string }>(sql`select revision_id from route`);
    expect(readRunToken(app.keys['run-token'], String(got['x-svc-run']))).toEqual({
      is_expired: false,
      claims: {
        agent_id: agent.asset_id,
        revision_id: route?.revision_id,
        key_id: null,
        run_id,
        root_run_id: run_id,
        caller_id: user?.id,
        chain: [],
        trace_id,
        hidden: { inputs: false, outputs: false },
      },
    });
  },
);

test('two calls have two runs, and without a valid `traceparent` two traces', async () => {
  const seen = new Set<unknown>();
  const given_headers: Record<string, string>[] = [{}, { traceparent: `${traceparent}-x`, tracestate: 'vendor=1' }];
  for (const headers of given_headers) {
    const answered = await send('invoke', headers);
    const given = answered.headers.get('x-trace-id');
    expect(got['traceparent']).toContain(`00-${given}-`);
    expect(got['tracestate']).toBeUndefined();
    for (const one of [given, answered.headers.get('x-run-id'), got['x-svc-run']]) seen.add(one);
  }
  expect(seen.size).toBe(6);
});
