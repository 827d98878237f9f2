// Every endpoint of the contract at the door of the agents, and what an agent's proof opens there and elsewhere. The door listens at an address of
// the test, because there are no networks of agents.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { endpointUrl } from '@gantry/contract/client/client.ts';
import { contentTypes, type Endpoint } from '@gantry/contract/endpoint.ts';
import { endpoints, type EndpointName } from '@gantry/contract/endpoints.ts';
import { sql } from '../../ground/database/sql.ts';
import { signRunToken, type RunClaims } from '../../ground/run-token.ts';
import { nothing } from '../../testing/access/about-nothing.ts';
import { standInFor } from '../../testing/agents/agent-stand-in.ts';
import { signInBrowser } from '../../testing/browser.ts';
import { freePort } from '../../testing/servers/free-port.ts';
import { storeAgent, type StoredAgent } from '../../testing/stored/stored-agent.ts';
import { testApp, type TestApp, type TestUser } from '../../testing/test-app.ts';
import { operations } from '@gantry/contract/roles.ts';

let app: TestApp;
let ada: TestUser;
let door: string;
/** The same door at the port that containers of earlier releases call. */
let second_door: string;
let boss: StoredAgent;
let clerk: StoredAgent;
let revision_id: string;
let key: { id: string; key?: string | undefined };

beforeAll(async () => {
  const [port, second_port] = [await freePort(), await freePort()];
  app = await testApp({
    config: {
      engine_host: 'unix:///nowhere/docker.sock',
      door: { port, url: undefined, host: undefined, urls: [], second_port, notices: [] },
    },
    door_addresses: ['127.0.0.1'],
  });
  [door, second_door] = [`http://127.0.0.1:${port}`, `http://127.0.0.1:${second_port}`];
  ada = await app.user('ada@example.com', { teams: { ml: 'admin' } });
  clerk = await storeAgent(app, ada.email, { name: 'clerk' });
  await standInFor(app, clerk, (_, response) => void response.end('{"status":"ready"}'));
  const { asset_id, digest } = clerk;
  const pin = { ref: 'agents/clerk', asset_id, version: '1.0.0', digest };
  boss = await storeAgent(app, ada.email, { name: 'boss' }, [pin]);
  await standInFor(app, boss, (_, response) => void response.end('{"status":"ready"}'));
  await ada.client.call('permissions.grant', {
    body: {
      resource_type: 'agent',
      resource_id: 'clerk',
      principal_type: 'agent',
      principal_id: 'boss',
      actions: ['use'],
    },
  });
  key = await ada.client.call('keys.create', { body: { max_budget: '1' } });
  const revision = await app.db.one<{ id: string }>(sql`select id from revision where agent_id = ${boss.asset_id}`);
  revision_id = revision?.id ?? '';
  await app.governed(sql`update revision set key_id = ${key.id} where id = ${revision_id} returning id`);
});
afterAll(async () => await app?.stop());

type Proof = Record<string, string>;
const ofAgent = (): Proof => ({ authorization: `Bearer ${key.key}` });

async function send(base: string, name: EndpointName, proof: Proof) {
  const endpoint: Endpoint = endpoints[name];
  const params = { id: nothing, run_id: nothing, task_id: nothing, name: 'clerk', model: 'm' };
  const url = endpointUrl(base, endpoint, params).href.replaceAll('undefined', nothing);
  const response = await fetch(url, {
    method: endpoint.method,
    headers: {
      ...proof,
      'a2a-version': '1.0',
      ...(endpoint.body === undefined
        ? {}
        : { 'content-type': typeof endpoint.body === 'string' ? contentTypes[endpoint.body] : 'application/json' }),
    },
    ...(endpoint.body === undefined ? {} : { body: '{}' }),
    signal: AbortSignal.timeout(10_000),
  });
  const text = await response.text();
  return { status: response.status, isElsewhere: text.includes('serves this, at an address of its own') };
}

const names = Object.keys(endpoints) as EndpointName[];
const surfaceOf = (name: EndpointName) => (endpoints[name] as Endpoint).surface ?? 'api';
const models = new Set(['gateway', 'gemini', 'ollama']);
const isOfAnyone = (name: EndpointName) => operations[endpoints[name].operation].on === 'anyone';

describe('an agent with its key', () => {
  test.each(names)('at the door, has %s only if it is of A2A of agents, of models or a probe', async (name) => {
    const { status, isElsewhere } = await send(door, name, ofAgent());
    const opens =
      name.startsWith('a2a.') ||
      surfaceOf(name) === 'memory' ||
      surfaceOf(name) === 'prompts' ||
      name.startsWith('mcp.') ||
      models.has(surfaceOf(name)) ||
      surfaceOf(name) === 'probes';
    expect({ isElsewhere, isRefused: status === 401 && surfaceOf(name) !== 'probes' }).toEqual({
      isElsewhere: !opens,
      isRefused: false,
    });
  });

  test.each(names.filter((name) => !isOfAnyone(name) && !models.has(surfaceOf(name)) && surfaceOf(name) !== 'probes'))(
    'at the address of the service, is nobody to %s',
    async (name) => {
      expect((await send(app.url, name, ofAgent())).status).toBe(401);
    },
  );
});

test('at the door a person is nobody, in a browser and with a token', async () => {
  const cookie = await signInBrowser(app.url, ada);
  for (const name of names.filter((one) => one.startsWith('a2a.'))) {
    expect([name, (await send(app.url, name, { authorization: `Bearer ${ada.token}` })).status]).not.toEqual([
      name,
      401,
    ]);
    expect([name, (await send(door, name, { authorization: `Bearer ${ada.token}` })).status]).toEqual([name, 401]);
    expect([name, (await send(door, name, { cookie })).status]).toEqual([name, 401]);
  }
});

const claims = (more: Partial<RunClaims> = {}): RunClaims => ({
  agent_id: boss.asset_id,
  revision_id,
  key_id: key.id,
  run_id: nothing,
  root_run_id: nothing,
  caller_id: boss.asset_id,
  chain: [],
  trace_id: 'a'.repeat(32),
  hidden: { inputs: false, outputs: false },
  ...more,
});

const card = async (base: string, proof: Proof, name = 'clerk') => {
  const response = await fetch(`${base}/agents/${name}/.well-known/agent-card.json`, { headers: proof });
  return { status: response.status, ...((await response.json()) as { code?: string; detail?: string }) };
};

test('an agent reads the card of its subagent at both ports, and that of no other agent', async () => {
  expect(await card(door, ofAgent())).toMatchObject({ status: 200, url: `${door}/agents/clerk/a2a` });
  expect(await card(second_door, ofAgent())).toMatchObject({ status: 200, url: `${second_door}/agents/clerk/a2a` });
  expect(await card(door, ofAgent(), 'boss')).toMatchObject({ status: 404, code: 'not_found' });
});

test('a run that has ended, one of another key, and a chain with the subagent in it are refused', async () => {
  const run = (more: Partial<RunClaims>) => signRunToken(app.keys['run-token'], claims(more));
  const calling = async (more: Partial<RunClaims>) => await card(door, { ...ofAgent(), 'x-svc-run': run(more) });
  expect(await calling({})).toMatchObject({ status: 403, code: 'run_refused' });
  expect(await calling({ key_id: nothing })).toMatchObject({ status: 403, code: 'run_refused' });
  const run_id = '00000000-0000-4000-8000-000000000001';
  await app.db.run(sql`insert into invocation (id, agent_id, revision_id, caller_id, state)
    values (${run_id}, ${boss.asset_id}, ${revision_id}, ${boss.asset_id}, 'running')`);
  expect(await calling({ run_id })).toMatchObject({ status: 200 });
  const chain = [{ id: clerk.asset_id, ref: 'agents/clerk' }];
  expect(await calling({ run_id, chain, caller_id: clerk.asset_id })).toMatchObject({ code: 'call_loop' });
});
