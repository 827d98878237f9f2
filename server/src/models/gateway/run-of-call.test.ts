// The run of a call to a model: from the signed token alone, together with the key of the token's revision.
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { sql } from '../../ground/database/sql.ts';
import { signRunToken, type RunClaims } from '../../ground/run-token.ts';
import { modelStage, type ModelStage } from '../../testing/models/model-stage.ts';

let stage: ModelStage;
let key: { id: string; key?: string | undefined };
const lines: string[] = [];

beforeAll(async () => {
  stage = await modelStage({ onLog: (line) => lines.push(line) });
  key = await newKey();
});
afterAll(async () => await stage?.stop());

const newKey = async () => await stage.max.client.call('keys.create', { body: { max_budget: '1000' } });
const claims = (more: Partial<RunClaims> = {}): RunClaims => ({
  agent_id: randomUUID(),
  revision_id: randomUUID(),
  key_id: key.id,
  run_id: randomUUID(),
  root_run_id: randomUUID(),
  caller_id: randomUUID(),
  chain: [],
  trace_id: 'a'.repeat(32),
  hidden: { inputs: false, outputs: false },
  ...more,
});
const call = async (token: string | undefined, headers: Record<string, string> = {}) =>
  await stage.call(key.key, { headers: { ...(token !== undefined && { 'x-svc-run': token }), ...headers } });
const signed = (of: RunClaims, now_ms?: number) => signRunToken(stage.app.keys['run-token'], of, now_ms);

async function lastRow() {
  const holds = sql`select id from hold where call ->> 'key_id' = ${key.id}`;
  await expect.poll(async () => await stage.app.db.all(holds)).toEqual([]);
  return await stage.app.db.one(sql`select run_id, root_run_id, caller_id, trace_id, "user", team from ledger
    where key_id = ${key.id} order by hold_id desc limit 1`);
}

const trace_id = '0af7651916cd43dd8448eb211c80319c';
const traceparent = `00-${trace_id}-b7ad6b7169203331-01`;
const payer = { user: 'max@example.com', team: 'ml' };
const itself = { run_id: null, root_run_id: null, caller_id: null, ...payer };

test('the ledger has the run, its root, its caller and its trace from the token, whatever else the client sends (I12)', async () => {
  const { run_id, root_run_id, caller_id, ...rest } = claims();
  const forged = {
    traceparent,
    'x-svc-run-id': randomUUID(),
    'x-svc-caller': 'forged',
    'x-run-id': randomUUID(),
    'x-svc-root-run': randomUUID(),
  };
  expect(await call(signed({ run_id, root_run_id, caller_id, ...rest }), forged)).toMatchObject({ status: 200 });
  expect(await lastRow()).toEqual({ run_id, root_run_id, caller_id, trace_id: 'a'.repeat(32), ...payer });
  expect(await call(undefined, forged)).toMatchObject({ status: 200 });
  expect(await lastRow()).toEqual({ ...itself, trace_id });
});

test('a token of another agent’s key is refused, and nothing is sent or charged', async () => {
  const token = signed(claims({ key_id: (await newKey()).id }));
  stage.upstream.mock.clearRequests();
  const before = await lastRow();
  for (const refused of [token, signed(claims({ key_id: null })), `${signed(claims())}x`, 'forged', ''])
    expect(await call(refused)).toMatchObject({ status: 403, code: 'run_refused' });
  const twice = `${signed(claims())}, ${signed(claims())}`;
  expect(await call(twice)).toMatchObject({ status: 403, code: 'run_refused' });
  expect(stage.upstream.mock.getRequests()).toEqual([]);
  expect(await lastRow()).toEqual(before);
  expect(await call(signed(claims()))).toMatchObject({ status: 200 });
});

test('after the time of its token, a late call is the agent’s own', async () => {
  expect(await call(signed(claims(), Date.now() - 86_401_000), { traceparent })).toMatchObject({ status: 200 });
  expect(await lastRow()).toEqual({ ...itself, trace_id });
  const other = await newKey();
  expect(await call(signed(claims({ key_id: other.id }), 0))).toMatchObject({ status: 403, code: 'run_refused' });
});

test('a call has the trace of its client, in the reply and in the log, and the upstream gets nothing of it', async () => {
  stage.upstream.mock.clearRequests();
  const answered = await fetch(`${stage.app.url}/v1/chat/completions`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      authorization: `Bearer ${key.key}`,
      'x-svc-run': signed(claims()),
      traceparent,
      tracestate: 'vendor=1',
      baggage: 'secret=1',
    },
    body: JSON.stringify({ model: 'small', messages: [{ role: 'user', content: 'Hello' }] }),
  });
  expect([answered.status, answered.headers.get('x-trace-id')]).toEqual([200, trace_id]);
  const line = lines
    .map((text) => JSON.parse(text) as Record<string, unknown>)
    .findLast((one) => one['path'] === '/v1/chat/completions');
  expect(line).toMatchObject({ trace_id, status: 200 });
  const [sent] = stage.upstream.mock.getRequests();
  expect(JSON.stringify(sent?.headers)).toContain('content-type');
  expect(JSON.stringify(sent?.headers)).not.toMatch(/trace|baggage|x-svc/i);
});

test('costs are split by run, and a run has the costs of the runs that it has called', async () => {
  const root = randomUUID();
  const member = randomUUID();
  const other = randomUUID();
  for (const run_id of [root, member, member, other])
    await call(signed(claims({ run_id, root_run_id: run_id === other ? other : root })));
  await lastRow();
  const runsIn = async (run: string) => {
    const { rows } = await stage.app.admin.client.call('costs.report', { query: { by: 'run', run } });
    return new Map(rows.map(({ of, calls }) => [of.run, calls]));
  };
  expect(await runsIn(root)).toEqual(
    new Map([
      [root, 1],
      [member, 2],
    ]),
  );
  expect(await runsIn(member)).toEqual(new Map([[member, 2]]));
});

test('a call in a run whose orchestration has spent its `budget_usd` is refused, and others go on', async () => {
  const root = randomUUID();
  // A call costs $0.003.
  const config = JSON.stringify({ budget_usd: '0.005' });
  await stage.app.db.run(sql`
    with c as (insert into content (digest, config, manifest, dependencies, source, lock, base_image, python, pins) values ('of-this-run', ${config}::jsonb, '{}', '{}', 'x', '', '', '', '[]') returning digest)
    insert into run (id, kind, mutex, input, actor_id, actor_name, behind, state, started_at)
    select ${root}, 'orchestration', ${root}, jsonb_build_object('digest', c.digest), ${randomUUID()}, 'max', false, 'running', clock_now() from c`);
  const member = () => call(signed(claims({ root_run_id: root })));
  stage.upstream.mock.clearRequests();
  for (const status of [200, 200]) {
    expect(await member()).toMatchObject({ status });
    await lastRow();
  }
  expect(await member()).toMatchObject({
    status: 429,
    code: 'budget_exceeded',
    message: expect.stringMatching(/^The run [-0-9a-f]+ has spent its `budget_usd`\.[^$]*$/) as string,
  });
  expect(stage.upstream.mock.getRequests()).toHaveLength(2);
  expect(await call(signed(claims()))).toMatchObject({ status: 200 });
  expect(await call(undefined)).toMatchObject({ status: 200 });
});
