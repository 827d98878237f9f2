// Calls that a container has not begun: their service is killed before it sends them, or their container is busy or gone.
import { randomUUID } from 'node:crypto';
import type { RequestListener } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { openDatabase } from '../../../ground/database/database.ts';
import { sql } from '../../../ground/database/sql.ts';
import { servingAgents } from '../../deploy/serving/serving.ts';
import { findReach } from '../../deploy/targets/index.ts';
import { openEnvelope } from '../../../ground/envelope/envelope.ts';
import { noTurns } from '../../../testing/agents/no-turns.ts';
import { openGuardrailRecord } from '../../../models/guardrails/record.ts';
import { loadCaller } from '../../../people/principals/load-caller.ts';
import { standInFor } from '../../../testing/agents/agent-stand-in.ts';
import { readNow } from '../../../testing/access/read-now.ts';
import { storeAgent, type StoredAgent } from '../../../testing/stored/stored-agent.ts';
import { testApp, type TestApp, type TestUser } from '../../../testing/test-app.ts';
import { wrapperStandIn, type WrapperStandIn } from '../../../testing/agents/wrapper-stand-in.ts';
import { traceContext } from '../../../ground/trace-context.ts';
import { call } from '../call.ts';
import { openIngress, type Ingress } from '../ingress.ts';

let app: TestApp;
let ada: TestUser;
let container: WrapperStandIn;
let cut: () => void;
let agents: Record<'greeter' | 'old' | 'liar', StoredAgent>;
const old = wrapperStandIn({ older: true });
const failed: unknown[] = [];

beforeAll(async () => {
  // No keeper finds fault with the container that is stood in for.
  app = await testApp({ config: { engine_host: 'unix:///nonexistent.sock', sync_budget_seconds: 3 } });
  ada = await app.user('ada@example.com', { teams: { ml: 'admin' } });
  agents = {
    greeter: await storeAgent(app, ada.email, { name: 'greeter' }),
    old: await storeAgent(app, ada.email, { name: 'old' }),
    liar: await storeAgent(app, ada.email, { name: 'liar' }),
  };
  const isBusy = () => container.isBusy;
  ({ cut } = await standInFor(app, agents.greeter, (...of) => container.listener(...of), { isBusy }));
  await standInFor(app, agents.old, old.listener);
  await standInFor(app, agents.liar, lie);
});
afterAll(async () => {
  await app?.stop();
  expect(failed).toEqual([]);
});
/** It says that it works for the call, and then that it never began it. */
const sendings: string[] = [];
const lie: RequestListener = (incoming, outgoing) => {
  incoming.resume();
  const said = { 'content-type': 'application/json', 'x-svc-start': 'one' };
  if (incoming.method === 'GET') return void outgoing.writeHead(200, said).end('{"status":"running"}');
  sendings.push(incoming.url ?? '');
  setTimeout(() => outgoing.writeHead(503, { ...said, 'x-svc-not-begun': 'draining' }).end('{}'), 1000);
};
beforeEach(async () => {
  container = wrapperStandIn();
  await app.db.run(sql`delete from agent_event`);
});

type Init = Omit<RequestInit, 'headers'> & { name?: string; headers?: Record<string, string> };
const send = async (path: string, { name = 'greeter', headers = {}, ...init }: Init = {}) =>
  await fetch(`${app.url}/agents/${name}/${path}`, {
    ...init,
    headers: { authorization: `Bearer ${ada.token}`, 'content-type': 'application/json', ...headers },
  });
const detached = { method: 'POST', headers: { prefer: 'respond-async' }, body: '{"input":"a private text"}' };

async function begin(name = 'greeter'): Promise<string> {
  const begun = await send('invoke', { ...detached, name });
  expect(begun.status).toBe(202);
  return ((await begun.json()) as { run_id: string }).run_id;
}

async function endOf(run_id: string, name = 'greeter'): Promise<unknown> {
  const read = async () => await send(`runs/${run_id}`, { name });
  await expect.poll(async () => (await read()).status, { timeout: 20_000 }).not.toBe(202);
  return await (await read()).json();
}

/** Its open connections end, and it takes no new one. */
function becomeBusy(): void {
  container.isBusy = true;
  cut();
}

interface StoredRow {
  state: string;
  instance_id: string | null;
  start_id: string | null;
  attempt: number;
  input: Buffer | null;
  begun_at: Date | null;
}

const rowOf = async (run_id: string) =>
  await app.db.one<StoredRow>(
    sql`select state, instance_id, start_id, attempt, input, begun_at from invocation where id = ${run_id}`,
  );

/** A service that is killed when it has stored the call, before it sends it. Returns the id of the call. */
async function killedBeforeSending(
  name: 'greeter' | 'old',
  change: (run_id: string) => Promise<unknown> = async () => {},
): Promise<string> {
  const db = openDatabase(app.connection);
  const stopping = new AbortController();
  const ingress = openIngress({
    db,
    owner: 'killed',
    alone: false,
    agents: servingAgents({
      db,
      ingress_key: app.keys['ingress-secret'],
      readAsOf: readNow(db),
      findReach: findReach(),
    }),
    run_key: Buffer.alloc(32),
    envelope: openEnvelope(app.keys.envelope),
    models: async () => await Promise.reject(new Error('nobody judges')),
    turns: noTurns,
    guardrails: openGuardrailRecord(db, { onError: (error) => failed.push(error) }),
    spans: { add: () => {} },
    base_url: () => '',
    sync_budget_ms: 1000,
    stopping: stopping.signal,
    onError: () => {},
  });
  const user = await app.db.one<{ id: string }>(sql`select id from app_user where email = ${ada.email}`);
  const caller = await loadCaller(app.db, user?.id ?? '', { request_id: null, ip: null, receipts: [] });
  if (caller === undefined) throw new Error('there is no ada');
  let run_id = '';
  const killed: Ingress = {
    ...ingress,
    followed: {
      ...ingress.followed,
      put: async (row) => {
        await ingress.followed.put(row);
        run_id = row.id;
        throw new Error('killed');
      },
      leave: async () => {},
    },
  };
  const headers = new Headers({ 'content-type': 'application/json', prefer: 'respond-async' });
  const body = Buffer.from(detached.body);
  const incoming = { caller, name, headers, body, signal: new AbortController().signal, trace: traceContext(headers) };
  await expect(call(killed, incoming)).rejects.toThrow('killed');
  const stored = await rowOf(run_id);
  expect(stored?.state).toBe('running');
  expect(stored?.input?.toString('latin1')).not.toContain('private');
  expect(stored?.input?.length).toBeGreaterThan(50);
  stopping.abort();
  await change(run_id);
  // The process is dead, so nothing is released; its lease ends.
  await app.db.run(
    sql`update invocation set owner = 'killed', lease_until = clock_now() - interval '1 s' where id = ${run_id}`,
  );
  await ingress.connections.destroy();
  await db.close();
  return run_id;
}

test('a call whose service is killed between its storing and its sending is sent once by another one', async () => {
  const run_id = await killedBeforeSending('greeter');
  expect(container.begun).toEqual([]);
  expect(await endOf(run_id)).toEqual({ output: 'said' });
  expect(container.begun).toEqual([run_id]);
  // What the killed service may have sent is refused, whenever it comes.
  expect([...container.refused]).toEqual([[run_id, 1]]);
  expect(container.asked).toContain('POST /runs/ID/refuse');
  expect(await rowOf(run_id)).toMatchObject({ state: 'ended', input: null, attempt: 2 });
});

test('the input of a call is erased as soon as its container works for it', async () => {
  container.hold();
  const run_id = await begin();
  await expect.poll(async () => (await rowOf(run_id))?.begun_at).not.toBeNull();
  expect(await rowOf(run_id)).toMatchObject({ state: 'running', input: null });
  container.endRuns('late');
  expect(await endOf(run_id)).toEqual({ output: 'late' });
});

test('of a container with an older wrapper it is not known if a call began, and the call is not sent again', async () => {
  const run_id = await killedBeforeSending('old');
  expect(await endOf(run_id, 'old')).toMatchObject({ code: 'agent_unavailable', run_status: 'unknown', run_id });
  expect(old.begun).toEqual([]);
});

test('a container that has restarted proves nothing about calls of its earlier start', async () => {
  const run_id = await killedBeforeSending('greeter');
  container.restart();
  expect(await endOf(run_id)).toMatchObject({ run_status: 'unknown', run_id });
  expect(container.begun).toEqual([]);
});

test('a call that was cancelled, or whose caller lost the right, is not sent again', async () => {
  const cancelled = await killedBeforeSending(
    'greeter',
    async (id) => await app.db.run(sql`update invocation set cancel_pending = true where id = ${id}`),
  );
  // Nobody has this account any more.
  const refused = await killedBeforeSending(
    'greeter',
    async (id) => await app.db.run(sql`update invocation set caller_id = ${randomUUID()} where id = ${id}`),
  );
  expect(await endOf(cancelled)).toMatchObject({ code: 'cancelled' });
  await expect.poll(async () => (await rowOf(refused))?.state, { timeout: 10_000 }).toBe('ended');
  expect(container.begun).toEqual([]);
});

test('a container that contradicts itself ends its call with an error of the agent, and gets it once', async () => {
  const run_id = await begin('liar');
  expect(await endOf(run_id, 'liar')).toMatchObject({
    code: 'agent_error',
    detail: 'agents/liar said that it works for the call, and then that it never began it.',
  });
  expect(sendings).toEqual(['/invoke']);
});

test('a container that is busy for a while loses no call: each is sent when it takes connections again', async () => {
  becomeBusy();
  const waiting = send('invoke', { method: 'POST', body: '{"input":"hi"}' });
  const run_id = await begin();
  expect(await rowOf(run_id)).toMatchObject({ state: 'running', instance_id: null });
  await sleep(300);
  expect(container.begun).toEqual([]);
  container.isBusy = false;
  expect(await (await waiting).json()).toEqual({ output: 'said' });
  expect(await endOf(run_id)).toEqual({ output: 'said' });
  expect(container.begun).toHaveLength(2);
});

test('a caller that waits longer than the sync budget for a busy container has a run id, and its answer later', async () => {
  becomeBusy();
  const answered = await send('invoke', { method: 'POST', body: '{"input":"hi"}' });
  expect(answered.status).toBe(202);
  const { run_id } = (await answered.json()) as { run_id: string };
  container.isBusy = false;
  expect(await endOf(run_id)).toEqual({ output: 'said' });
  expect(container.begun).toEqual([run_id]);
});

const url = async () =>
  (
    await app.db.one<{ url: string }>(sql`
  select i.url from instance i join revision v on v.id = i.revision_id where v.agent_id = ${agents.greeter.asset_id}`)
  )?.url;
const setUrl = async (to: string | null) =>
  await app.db.run(sql`
    update instance i set url = ${to}
    from revision v where v.id = i.revision_id and v.agent_id = ${agents.greeter.asset_id}`);
/** As the keeper notes it. */
async function endContainer(detail: string): Promise<void> {
  await app.db.run(sql`
    insert into agent_event (agent_id, target, revision_id, instance_id, kind, reason, detail)
    select v.agent_id, i.target, v.id, i.id, 'ended', 'out_of_memory', ${detail}
    from instance i join revision v on v.id = i.revision_id where v.agent_id = ${agents.greeter.asset_id}`);
  await setUrl(null);
}

test('a call that its container had begun is interrupted with the reason, and one that it had not is safe to repeat', async () => {
  container.hold();
  const address = await url();
  const waiting = send('invoke', { method: 'POST', body: '{"input":"hi"}' });
  const run_id = await begin();
  await expect.poll(() => container.begun.length).toBe(2);
  await expect.poll(() => container.told.size).toBe(2);
  await sleep(100);
  const why = 'The container exited with code 137 because it ran out of memory.';
  await endContainer(why);
  container.restart();
  const said = {
    code: 'agent_unavailable',
    run_status: 'interrupted',
    reason: 'out_of_memory',
    detail: `${why} The container stopped or died before the run ended.`,
  };
  const answered = await waiting;
  expect(answered.status).toBe(503);
  expect(await answered.json()).toMatchObject({ ...said, run_id: expect.any(String) });
  expect(await endOf(run_id)).toMatchObject({ ...said, run_id });
  await setUrl(address ?? null);

  becomeBusy();
  const later = send('invoke', { method: 'POST', body: '{"input":"hi"}' });
  await sleep(300);
  await endContainer(why);
  const refused = await later;
  expect([refused.status, refused.headers.get('retry-after')]).toEqual([503, '2']);
  expect(await refused.json()).toMatchObject({ run_status: 'not_begun' });
  await setUrl(address ?? null);
  expect(container.begun).toHaveLength(2);
});
