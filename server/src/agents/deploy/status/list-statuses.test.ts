// The list of agents with its filters. The state in a filter is the state in a row.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { agentStates } from '@gantry/contract/agents/deploy.ts';
import { sql } from '../../../ground/database/sql.ts';
import { serveAgent, storeAgent } from '../../../testing/stored/stored-agent.ts';
import { testApp, type TestApp, type TestUser } from '../../../testing/test-app.ts';

let app: TestApp;
let ada: TestUser;

beforeAll(async () => {
  // Without a worker nothing looks at the containers.
  app = await testApp({ config: { roles: ['api'] } });
  ada = await app.user('ada@example.com', { teams: { ml: 'contributor', ops: 'contributor' } });
  const names = [
    'serving',
    'starting',
    'asleep',
    'stopped',
    'failed',
    'unknown',
    'without-container',
    'never-deployed',
  ];
  for (const name of names) await storeIn(name);
});
afterAll(async () => await app?.stop());

async function storeIn(name: string): Promise<void> {
  const yaml = name === 'asleep' ? 'deploy: {scaling: {min: 0}}\n' : '';
  const agent = await storeAgent(app, ada.email, { name, team: name === 'failed' ? 'ops' : 'ml', yaml });
  if (name === 'never-deployed') return;
  const revision_id = await serveAgent(app, agent, 'http://127.0.0.1:1');
  const state = name === 'starting' || name === 'failed' ? name : 'serving';
  // A look of the future is not too old, however long the test takes.
  const age = name === 'unknown' ? '1 hour' : '-1 hour';
  await app.db.run(sql`
    update instance set state = ${state}, detail = 'x', seen_at = clock_now() - ${age}::interval where revision_id = ${revision_id}`);
  if (name === 'stopped')
    await app.governed(sql`update route set desired = 'stopped' where agent_id = ${agent.asset_id} returning id`);
  if (['asleep', 'without-container'].includes(name))
    await app.db.run(sql`delete from instance where revision_id = ${revision_id}`);
}

const listed = async (query: object) => (await ada.client.call('agents.statuses', { query })).items;
const names = async (query: object) => (await listed(query)).map(({ name }) => name);

test('the list of a state has exactly the agents whose rows have this state', async () => {
  const all = await listed({});
  const byState = agentStates.map((state) => [state, all.filter((one) => one.state === state).map(({ name }) => name)]);
  expect(byState).toEqual([
    ['serving', ['serving']],
    ['starting', ['starting']],
    ['asleep', ['asleep']],
    ['stopped', ['stopped']],
    ['failed', ['failed', 'without-container']],
    ['unknown', ['unknown']],
    ['not_deployed', ['never-deployed']],
  ]);
  for (const [state, expected] of byState) expect([state, await names({ state })]).toEqual([state, expected]);
});

test('team and text narrow the list, also together and by pages', async () => {
  expect(await names({ team: 'ops' })).toEqual(['failed']);
  expect(await names({ text: 'without' })).toEqual(['without-container']);
  expect(await names({ state: 'failed', team: 'ml' })).toEqual(['without-container']);
  expect(await names({ state: 'failed', team: 'ops', text: 'without' })).toEqual([]);
  const first = await ada.client.call('agents.statuses', { query: { state: 'failed', limit: 1, total: 'true' } });
  expect(first.total).toBe(2);
  const query = { state: 'failed', limit: 1, cursor: first.next_cursor ?? '' } as const;
  const second = await ada.client.call('agents.statuses', { query });
  expect([...first.items, ...second.items].map(({ name }) => name)).toEqual(['failed', 'without-container']);
  expect(second.next_cursor).toBeUndefined();
});
