// Streams that their readers leave and resume.
import type { ServerResponse } from 'node:http';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { sql } from '../../../../ground/database/sql.ts';
import { ended, langgraphStage, refused, type LanggraphStage } from '../../../../testing/agents/langgraph-stage.ts';
import type { TestUser } from '../../../../testing/test-app.ts';

let stage: LanggraphStage;
let { app, cal, eve, ask, makeThread } = {} as LanggraphStage;
beforeAll(async () => {
  stage = await langgraphStage();
  ({ app, cal, eve, ask, makeThread } = stage);
});
afterAll(async () => await app?.stop());
beforeEach(() => stage.reset());

const run = { assistant_id: 'chatter', input: { text: 'hello' }, stream_resumable: true };

interface Held {
  thread: string;
  run_id: string;
  location: string;
  response: Response;
  leave: () => void;
  call: ServerResponse;
  events: ServerResponse;
}

/** The agent has the run, and says nothing yet. */
async function held(more: object = {}): Promise<Held> {
  const thread = await makeThread();
  const called = Promise.withResolvers<ServerResponse>();
  const listened = Promise.withResolvers<ServerResponse>();
  stage.answer = (response) => called.resolve(response);
  stage.tell = (response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' }).flushHeaders();
    listened.resolve(response);
  };
  const leaving = new AbortController();
  const response = await fetch(`${app.url}/agents/chatter/langgraph/threads/${thread}/runs/stream`, {
    method: 'POST',
    headers: { authorization: `Bearer ${cal.token}`, 'content-type': 'application/json' },
    body: JSON.stringify({ ...run, ...more }),
    signal: leaving.signal,
  });
  const [call, events] = await Promise.all([called.promise, listened.promise]);
  const run_id = response.headers.get('x-run-id') ?? '';
  const location = response.headers.get('location') ?? '';
  return { thread, run_id, location, response, leave: () => leaving.abort(), call, events };
}

const says = (response: ServerResponse, data: unknown, mode = 'updates') =>
  response.write(`data: ${JSON.stringify({ type: 'CUSTOM', name: 'langgraph', value: { mode, ns: [], data } })}\n\n`);
const partsIn = (text: string) =>
  text
    .split('\n\n')
    .filter((event) => event.includes('data: '))
    .map((event) => event.split('\n').map((line) => line.slice(line.indexOf(' ') + 1)))
    .map(([id, event, data]) => ({ id, event, data }));
const joined = async (
  { location }: Held,
  { after, url = app.url, by = cal }: { after?: string; url?: string; by?: TestUser } = {},
) => {
  const headers = { authorization: `Bearer ${by.token}`, ...(after !== undefined && { 'last-event-id': after }) };
  return await fetch(`${url}/agents/chatter/langgraph${location}`, { headers });
};
const untilStored = async ({ run_id }: Held, count: number) =>
  await expect
    .poll(async () => await app.db.one(sql`select max(last_id) as n from langgraph_part where run_id = ${run_id}`))
    .toEqual({ n: count });

test('a reader who leaves reads the rest by the last id, also at another process', async () => {
  const one = await held();
  expect(one.location).toBe(`/threads/${one.thread}/runs/${one.run_id}/stream`);
  says(one.events, { say: 1 });
  await untilStored(one, 1);
  one.leave();
  await one.response.text().catch(() => {}); // it was left
  const { url } = await app.another({ roles: ['ingress'] });
  const resumed = await joined(one, { after: '1', url });
  says(one.events, { say: 2 });
  says(one.events, { said: 'all' }, 'values');
  one.events.end();
  ended(one.call, { output: { said: 'all' } });
  const rest = [
    { id: '2', event: 'updates', data: '{"say":2}' },
    { id: '3', event: 'values', data: '{"said":"all"}' },
  ];
  expect(partsIn(await resumed.text())).toEqual(rest);
  const whole = [
    { id: '0', event: 'metadata', data: JSON.stringify({ run_id: one.run_id, attempt: 1 }) },
    { id: '1', event: 'updates', data: '{"say":1}' },
    ...rest,
  ];
  for (const after of [undefined, '-1'])
    expect(partsIn(await (await joined(one, after === undefined ? {} : { after })).text())).toEqual(whole);
  expect(stage.cancelled).toEqual([]);
});

test('a run in the background can be read too, and its failure is the end', async () => {
  const thread = await makeThread();
  stage.answer = (response) => refused(response, 500, 'agent_error');
  const { json } = await ask(cal, 'POST', `/threads/${thread}/runs`, run);
  const { text } = await ask(cal, 'GET', `/threads/${thread}/runs/${json.run_id}/stream`);
  expect(partsIn(text).map(({ event }) => event)).toEqual([
    'metadata',
    'messages',
    'updates|inner:1',
    'values',
    'error',
  ]);
});

test('a run whose reader leaves is cancelled when its client says so', async () => {
  const one = await held({ on_disconnect: 'cancel' });
  one.leave();
  await expect.poll(() => stage.cancelled).toEqual([one.run_id]);
  one.events.end();
  refused(one.call, 409, 'run_cancelled');
});

test('on_disconnect continue needs no thread', async () => {
  const { text, status } = await ask(cal, 'POST', '/runs/stream', {
    ...run,
    stream_resumable: false,
    on_disconnect: 'continue',
  });
  expect([status, partsIn(text).map(({ event }) => event)]).toEqual([
    200,
    ['metadata', 'messages', 'updates|inner:1', 'values'],
  ]);
  expect(await ask(cal, 'POST', '/runs/stream', run)).toMatchObject({ status: 501 });
});

test('the parts are sealed, nothing to another caller, and gone with the answer', async () => {
  const one = await held();
  says(one.events, { secret: 'plum' });
  one.events.end();
  ended(one.call, { output: { said: 'all' } });
  await one.response.text();
  const rows = await app.db.all<{ parts: Buffer }>(sql`select parts from langgraph_part where run_id = ${one.run_id}`);
  expect(rows.map(({ parts }) => parts.includes('plum'))).toEqual(rows.map(() => false));
  expect((await joined(one, { by: eve })).status).toBe(404);
  expect(await (await joined(one)).text()).toContain('plum');
  await app.db.run(sql`delete from invocation where id = ${one.run_id}`);
  expect(await app.db.all(sql`select from langgraph_part where run_id = ${one.run_id}`)).toEqual([]);
  expect((await joined(one)).status).toBe(404);
});

test('a stream keeps a bounded size, and its end has the values', async () => {
  const one = await held();
  const large = 'x'.repeat(1024 * 1024);
  for (let n = 0; n < 20; n++) says(one.events, { large });
  one.events.end();
  ended(one.call, { output: { said: 'all' } });
  const parts = partsIn(await one.response.text());
  expect(parts.filter(({ event }) => event === 'updates')).toHaveLength(15);
  expect(parts.at(-1)).toEqual({ id: '16', event: 'values', data: '{"said":"all"}' });
});

test('a run whose process died ends with what its answer says', async () => {
  const one = await held();
  says(one.events, { say: 1 });
  await untilStored(one, 1);
  // Another process has stored the end.
  await app.db.run(sql`
    update invocation set state = 'ended', status = 200, content_type = 'application/json', ended_at = clock_now(),
      body = ${Buffer.from('{"output":{"said":"all"}}')} where id = ${one.run_id}`);
  expect(partsIn(await (await joined(one, { after: '0' })).text())).toEqual([
    { id: '1', event: 'updates', data: '{"say":1}' },
    { id: '2', event: 'values', data: '{"said":"all"}' },
  ]);
  one.events.end();
  ended(one.call, { output: {} });
});
