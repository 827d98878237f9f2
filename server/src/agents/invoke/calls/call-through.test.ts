// A cancel that meets a call of a member at each moment of its start.
import { randomUUID } from 'node:crypto';
import type { RequestListener } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { Problem } from '@gantry/contract/problems.ts';
import { noRequest } from '../../../governance/access/caller.ts';
import { openDatabase } from '../../../ground/database/database.ts';
import { sql } from '../../../ground/database/sql.ts';
import { servingAgents } from '../../deploy/serving/serving.ts';
import { findReach } from '../../deploy/targets/index.ts';
import { openEnvelope } from '../../../ground/envelope/envelope.ts';
import { noTurns } from '../../../testing/agents/no-turns.ts';
import { openGuardrailRecord } from '../../../models/guardrails/record.ts';
import { standInFor } from '../../../testing/agents/agent-stand-in.ts';
import { readNow } from '../../../testing/access/read-now.ts';
import { storeAgent, type StoredAgent } from '../../../testing/stored/stored-agent.ts';
import { testApp, type TestApp } from '../../../testing/test-app.ts';
import { traceContext } from '../../../ground/trace-context.ts';
import { answeringRevision, type Admitted } from '../admit.ts';
import { callThrough } from './call-through.ts';
import { openIngress, type Ingress } from '../ingress.ts';
import { repeatCancels } from './repeat-cancels.ts';

let app: TestApp;
let agent: StoredAgent;
let ingress: Ingress;
let stop: (() => Promise<void>) | undefined;
let asked: string[] = [];
let answer: RequestListener;
const failed: unknown[] = [];
const stopping = new AbortController();
const cancelled = new Problem('cancelled');

beforeAll(async () => {
  app = await testApp({ config: { roles: ['api'] } });
  const ada = await app.user('ada@example.com', { teams: { ml: 'admin' } });
  agent = await storeAgent(app, ada.email, { name: 'greeter' });
  await standInFor(app, agent, (request, response) => {
    asked.push(`${request.method} ${request.url?.replace(/[0-9a-f-]{36}/, 'ID')}`);
    answer(request, response);
  });
  const onError = (error: unknown) => failed.push(error);
  const db = openDatabase(app.connection);
  ingress = openIngress({
    db,
    owner: 'test',
    alone: false,
    agents: servingAgents({
      db,
      ingress_key: app.keys['ingress-secret'],
      readAsOf: readNow(db),
      findReach: findReach(),
    }),
    run_key: Buffer.alloc(32),
    envelope: openEnvelope(Buffer.alloc(32)),
    models: async () => await Promise.reject(new Error('nobody judges')),
    turns: noTurns,
    guardrails: openGuardrailRecord(db, { onError }),
    spans: { add: () => {} },
    base_url: () => '',
    sync_budget_ms: 1000,
    stopping: stopping.signal,
    onError,
  });
  const repeating = repeatCancels(ingress, onError);
  stop = async () => {
    stopping.abort();
    await repeating.stop();
    await ingress.close();
    await db.close();
  };
});
afterAll(async () => {
  await stop?.();
  await app?.stop();
  expect(failed).toEqual([]);
});
beforeEach(() => {
  asked = [];
  let end = () => {};
  answer = ({ url, method }, response) => {
    const reply = () => response.writeHead(200, { 'content-type': 'application/json' }).end('{"output":"said"}');
    if (url === '/invoke') end = reply;
    else response.writeHead(202, { 'content-type': 'application/json' }).end('{}', () => method === 'POST' && end());
  };
});

async function admitted(): Promise<Admitted> {
  const by = { id: randomUUID(), ref: 'orchestrations/flow' };
  const found = await ingress.agents.member(by, agent.asset_id);
  if (found.agent === undefined || found.serving === undefined) throw new Error('the agent does not serve');
  const user = { kind: 'user', id: randomUUID(), label: 'ada@example.com', memberships: [], origin: noRequest() };
  return {
    user: user as unknown as Admitted['user'], // only these members are read
    through: { root_run_id: randomUUID(), chain: [by] },
    agent: found.agent,
    revision: answeringRevision(found.agent, found.serving),
    hidden: found.serving.hidden,
    again: admitted,
  };
}

const call = async (aborting: AbortController, own: Ingress = ingress) =>
  await callThrough(own, {
    id: randomUUID(),
    trace: traceContext(new Headers()),
    origin: noRequest(),
    admit: async () => ({ admitted: await admitted(), body: Buffer.from('{"input":"hi"}') }),
    signal: aborting.signal,
    onStays: () => {},
  });

const running = async () => await app.db.all(sql`select from invocation where state = 'running'`);

test('a call that is cancelled while its input is checked is never begun', async () => {
  const aborting = new AbortController();
  const own: Ingress = {
    ...ingress,
    // The check reads it.
    get guardrails() {
      aborting.abort(cancelled);
      return ingress.guardrails;
    },
  };
  await expect(call(aborting, own)).rejects.toBe(cancelled);
  // The check goes on for a moment.
  await sleep(300);
  expect(asked).toEqual([]);
  expect(await running()).toEqual([]);
});

test('a call that is cancelled while it is stored is cancelled in its container', async () => {
  const aborting = new AbortController();
  const { followed } = ingress;
  const put: typeof followed.put = async (row) => {
    aborting.abort(cancelled);
    await sleep(200);
    await followed.put(row);
  };
  await expect(call(aborting, { ...ingress, followed: { ...followed, put } })).rejects.toBe(cancelled);
  await expect.poll(() => asked).toContain('POST /runs/ID/cancel');
  expect(asked.find((path) => path !== 'GET /health')).toBe('POST /invoke');
  await expect.poll(running).toEqual([]);
});

test('a cancel that comes to the container before the call is sent again', async () => {
  const aborting = new AbortController();
  const after = answer;
  let isKnown = false;
  answer = (request, response) => {
    if (request.url === '/invoke') {
      aborting.abort(cancelled);
      after(request, response);
    } else if (!isKnown && request.url?.endsWith('/cancel')) {
      isKnown = true;
      response.writeHead(404, { 'content-type': 'application/problem+json' }).end('{}');
    } else after(request, response);
  };
  await expect(call(aborting)).rejects.toBe(cancelled);
  const cancels = () => asked.filter((path) => path.endsWith('/cancel')).length;
  await expect.poll(cancels, { timeout: 10_000 }).toBeGreaterThan(1);
  await expect.poll(running).toEqual([]);
});
