// `deploy.target` of an orchestration, with a plain HTTP server in place of its member's container.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { sql } from '../../../ground/database/sql.ts';
import { standInFor } from '../../../testing/agents/agent-stand-in.ts';
import { storeAgent } from '../../../testing/stored/stored-agent.ts';
import { testApp, type TestApp } from '../../../testing/test-app.ts';

const kind = 'orchestration';
let app: TestApp;
let calls = 0;

beforeAll(async () => {
  app = await testApp({ config: { engine_host: 'unix:///nonexistent.sock' } });
  const max = await app.user('max@example.com', { teams: { ml: 'admin' } });
  const agent = await storeAgent(app, max.email, { name: 'clerk' });
  await standInFor(app, agent, (request, response) => {
    request.resume();
    if (request.url === '/invoke') calls += 1;
    response.writeHead(200, { 'content-type': 'application/json' });
    response.end(JSON.stringify({ status: 'completed', output: 'tea' }));
  });
  const schema = JSON.stringify({ type: 'object', properties: { topic: { type: 'string' } } });
  await app.db.run(sql`
    insert into revision_input (revision_id, input_schema, keeps_threads, required_fields)
    select revision_id, ${schema}::jsonb, false, '{topic}' from route where agent_id = ${agent.asset_id}`);
  await store('inner', [{ name: 'one', ref: 'agents/clerk' }], {});
  await deploy('inner');
});
afterAll(async () => await app?.stop());

async function store(name: string, agents: object[], more: object): Promise<void> {
  const config = { name, version: '1.0.0', team: 'ml', strategy: 'sequential', agents, ...more };
  const body = { name, team: 'ml', visibility: 'team' as const, config: config as never };
  await app.admin.client.call('registry.create', { params: { kind }, body });
}

const deploy = async (name: string) =>
  await app.admin.client.call('orchestrations.deploy', { params: { name }, body: {} });

const elsewhere = (of: string, target: string) => ({
  code: 'members_not_ready',
  detail: expect.stringContaining(
    `agents/clerk serves on the target local, and \`deploy.target\` of orchestrations/${of} is ${target}.`,
  ) as string,
  hint: `svc deploy agents/clerk@1.0.0 --target ${target}`,
});

test('a deploy is refused while a member serves on another target, also one inside another orchestration', async () => {
  const deploying = { deploy: { target: 'cluster' } };
  await store('outer', [{ name: 'one', ref: 'agents/clerk' }], deploying);
  await expect(deploy('outer')).rejects.toMatchObject(elsewhere('outer', 'cluster'));
  await store('around', [{ name: 'one', ref: 'orchestrations/inner' }], deploying);
  await expect(deploy('around')).rejects.toMatchObject(elsewhere('around', 'cluster'));
});

test('a call is refused by name when its member has moved since the deploy, and without `deploy.target` it is made', async () => {
  await store('here', [{ name: 'one', ref: 'orchestrations/inner' }], { deploy: { target: 'local' } });
  await deploy('here');
  const invoke = async (name: string) => {
    const answer = await fetch(`${app.url}/orchestrations/${name}/invoke`, {
      method: 'POST',
      headers: { authorization: `Bearer ${app.admin.token}`, 'content-type': 'application/json' },
      body: JSON.stringify({ input: 'hi' }),
    });
    return { status: answer.status, body: await answer.text() };
  };
  expect(await invoke('here')).toEqual({ status: 200, body: expect.stringContaining('tea') });
  expect(calls).toBe(1);
  await app.governed(sql`update route set target = 'cluster' where target = 'local' returning id`);
  const refused = await invoke('here');
  expect(refused.status).toBe(409);
  expect(refused.body).toContain(
    'agents/clerk serves on the target cluster, and `deploy.target` of orchestrations/here is local.',
  );
  expect(calls).toBe(1);
  expect(await invoke('inner')).toMatchObject({ status: 200 });
  await app.governed(sql`update route set target = 'local' where target = 'cluster' returning id`);
});
