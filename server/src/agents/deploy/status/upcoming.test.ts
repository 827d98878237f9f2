// The way of a new version to its callers, as each of its people sees it.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { serveAgent, storeAgent, type StoredAgent } from '../../../testing/stored/stored-agent.ts';
import { testApp, type TestApp, type TestUser } from '../../../testing/test-app.ts';

let app: TestApp;
let ada: TestUser;
let max: TestUser;
let dora: TestUser;
let vera: TestUser;
let olga: TestUser;

beforeAll(async () => {
  app = await testApp({ config: { engine_host: 'unix:///nowhere/docker.sock' } });
  const of = async (name: string, teams: Record<string, 'viewer' | 'contributor' | 'deployer' | 'admin'>) =>
    await app.user(`${name}@example.com`, { teams });
  ada = await of('ada', { ml: 'contributor' });
  max = await of('max', { ml: 'admin' });
  dora = await of('dora', { ml: 'deployer' });
  vera = await of('vera', { ml: 'viewer' });
  olga = await of('olga', { ops: 'deployer' });
});
afterAll(async () => await app?.stop());

const upcomingFor = async (who: TestUser, { name }: StoredAgent) =>
  (await who.client.call('agents.status', { params: { name } })).upcoming;
const homeOf = async (who: TestUser) => await who.client.call('home.show', {});

test('a new version says its request, and who can decide and deploy it, until it serves', async () => {
  const agent = await storeAgent(app, ada.email, { name: 'greeter', yaml: 'access: {visibility: org}\n' });
  const can_deploy = [dora.email, max.email];
  expect(await upcomingFor(ada, agent)).toEqual({
    version: '1.0.0',
    target: 'local',
    request: null,
    can_deploy,
    deployment: null,
  });
  const { id } = await ada.client.call('approvals.submit', { body: { asset: agent.ref } });
  expect(await upcomingFor(vera, agent)).toMatchObject({
    request: { id, status: 'pending', submitted_by: ada.email, can_decide: expect.arrayContaining([max.email]) },
  });
  expect((await homeOf(ada)).own).toMatchObject([{ id, status: 'pending' }]);
  const own = async (who: TestUser) =>
    (await who.client.call('approvals.list', { query: { status: 'own', total: 'true' } })).items.map((one) => one.id);
  expect([await own(ada), await own(dora)]).toEqual([[id], []]);

  await max.client.call('approvals.approve', { params: { id }, body: {} });
  expect(await upcomingFor(ada, agent)).toMatchObject({
    request: { status: 'approved', decided_by: max.email },
    can_deploy,
  });
  expect((await homeOf(ada)).own).toMatchObject([{ id, status: 'approved' }]);
  const toDeploy = async (who: TestUser) => (await homeOf(who)).to_deploy.map((one) => one.id);
  expect([await toDeploy(dora), await toDeploy(max)]).toEqual([[id], [id]]);
  expect([await toDeploy(ada), await toDeploy(vera), await toDeploy(olga)]).toEqual([[], [], []]);

  await serveAgent(app, agent, 'http://127.0.0.1:1');
  expect(await upcomingFor(ada, agent)).toBeNull();
  expect(await toDeploy(dora)).toEqual([]);
});

test('another team reads the agent, and neither its request nor the names of its deciders and deployers', async () => {
  const agent = await storeAgent(app, ada.email, { name: 'shown', yaml: 'access: {visibility: org}\n' });
  await ada.client.call('approvals.submit', { body: { asset: agent.ref, message: 'ours alone' } });
  expect(await upcomingFor(vera, agent)).toMatchObject({ request: { status: 'pending' } });
  const status = await olga.client.call('agents.status', { params: { name: agent.name } });
  expect(status).toMatchObject({ latest_version: '1.0.0', upcoming: null });
});

test('a deployer who may not read a private agent is not named for its deploy', async () => {
  const agent = await storeAgent(app, ada.email, { name: 'hidden', yaml: 'access: {visibility: private}\n' });
  expect((await upcomingFor(max, agent))?.can_deploy).toEqual([max.email]);
  await ada.client.call('permissions.grant', {
    body: {
      resource_type: 'agent',
      resource_id: agent.name,
      principal_type: 'user',
      principal_id: dora.email,
      actions: ['read'],
    },
  });
  expect((await upcomingFor(max, agent))?.can_deploy).toEqual([dora.email, max.email]);
});
