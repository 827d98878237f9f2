// What the pages of an orchestration ask for: what one may do with it, its strategy, and its runs.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { sql } from '../../../ground/database/sql.ts';
import { serveAgent, storeAgent } from '../../../testing/stored/stored-agent.ts';
import {
  deployedOrchestration,
  orchestrationRunOf,
  storeOrchestration,
} from '../../../testing/stored/stored-orchestrations.ts';
import { testApp, type TestApp, type TestUser } from '../../../testing/test-app.ts';

const kind = 'orchestration';
let app: TestApp;
let max: TestUser;
let vera: TestUser;

beforeAll(async () => {
  app = await testApp({ config: { engine_host: 'unix:///nowhere/docker.sock' } });
  max = await app.user('max@example.com', { teams: { ml: 'admin' } });
  vera = await app.user('vera@example.com', { teams: { ml: 'viewer' } });
  await storeAgent(app, max.email, { name: 'idle' });
  const agent = await storeAgent(app, max.email, { name: 'busy' });
  await serveAgent(app, agent, 'http://127.0.0.1:1');
  await storeOrchestration(max, { name: 'draft', team: 'ml', agent: 'idle' });
  await deployedOrchestration(app, max, { name: 'flow', agent, visibility: 'team' });
});
afterAll(async () => await app?.stop());

const checked = async ({ client }: TestUser, name: string) =>
  await client.call('orchestrations.check', { params: { name }, query: {} });

test('the check says what its reader may do, with the reason of each refusal and its command', async () => {
  expect(await checked(max, 'draft')).toMatchObject({
    faults: [{ member: 'one', message: 'agents/idle is not deployed.', command: 'svc deploy agents/idle' }],
    can: {
      'orchestrations.deploy': { allowed: false, reason: expect.stringContaining('agents/idle is not deployed.') },
      'orchestrate.call': { allowed: false, ask: 'svc orchestration deploy draft' },
    },
  });
  const allowed = { allowed: true };
  expect((await checked(max, 'flow')).can).toEqual({ 'orchestrations.deploy': allowed, 'orchestrate.call': allowed });
  expect((await checked(vera, 'flow')).can).toMatchObject({
    'orchestrations.deploy': { allowed: false, reason: expect.stringContaining('role deployer') },
    'orchestrate.call': allowed,
  });
});

test('a member that gets a text only as the fallback of another one needs a known input too', async () => {
  const one = { name: 'one', ref: 'agents/busy' };
  const agents = [one, { name: 'two', ref: 'agents/busy', fallback: 'one' }];
  const config = { name: 'back', version: '1.0.0', team: 'ml', strategy: 'sequential', agents };
  const body = { name: 'back', team: 'ml', visibility: 'team' as const, config };
  await max.client.call('registry.create', { params: { kind }, body });
  const message = 'The input of agents/busy is not known yet.';
  expect((await checked(max, 'back')).faults).toMatchObject([
    { member: 'one', message },
    { member: 'two', message },
  ]);
  await max.client.call('registry.delete', { params: { kind, name: 'back' } });
});

test('lists and the page of an orchestration name its strategy, and other assets have none', async () => {
  const { items } = await max.client.call('registry.list', { params: { kind }, query: {} });
  expect(items.map(({ name, strategy }) => [name, strategy])).toEqual([
    ['draft', 'sequential'],
    ['flow', 'sequential'],
  ]);
  expect(await max.client.call('registry.show', { params: { kind, name: 'flow' } })).toMatchObject({
    strategy: 'sequential',
  });
  expect(await max.client.call('registry.show', { params: { kind: 'agent', name: 'busy' } })).toMatchObject({
    strategy: null,
  });
});

test('a deploy of an orchestration is explained, and its answer is that of a deploy', async () => {
  const explained = async ({ client }: TestUser) =>
    await client.call('permissions.explain', {
      query: { resource_type: kind, resource_id: 'flow', action: 'deploy' },
    });
  expect(await explained(max)).toMatchObject({ allowed: true });
  expect(await explained(vera)).toMatchObject({ allowed: false, reason: expect.stringContaining('role deployer') });
});

test('runs are filtered by their state and version, and only the caller reads the answer of a call', async () => {
  const params = { name: 'flow' };
  const [first, second] = [
    await orchestrationRunOf(app, 'flow', vera.email, 'failed'),
    await orchestrationRunOf(app, 'flow', vera.email, 'done'),
  ];
  await app.db.run(sql`
    insert into run_step (run_id, n, name, has_undo, state, output)
    values (${second}, 1, 'one', false, 'done', ${JSON.stringify({ agent: 'agents/busy', text: 'x'.repeat(3000) })}::jsonb)`);
  const listed = async (query: { state?: 'failed' | 'done'; version?: string }) =>
    (await vera.client.call('orchestrate.runs', { params, query })).items.map(({ run_id }) => run_id);
  expect(await listed({ state: 'failed' })).toEqual([first]);
  expect(await listed({ state: 'done', version: '1.0.0' })).toEqual([second]);
  expect(await listed({ version: '2.0.0' })).toEqual([]);
  const answerFor = async ({ client }: TestUser) =>
    (await client.call('orchestrate.run', { params: { ...params, run_id: second } })).steps[0]?.answer;
  expect(await answerFor(vera)).toBe('x'.repeat(2000));
  expect(await answerFor(max)).toBeNull();
});
