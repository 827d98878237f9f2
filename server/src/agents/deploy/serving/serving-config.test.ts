// A run has a row where something asks whether it is open. An agent that asks so and has no row is refused in each call.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { sql } from '../../../ground/database/sql.ts';
import { storeAgent } from '../../../testing/stored/stored-agent.ts';
import { testApp, type TestApp } from '../../../testing/test-app.ts';
import { servingConfig } from './serving-config.ts';

let app: TestApp;
beforeAll(async () => {
  app = await testApp({ config: { engine_host: 'unix:///nowhere/docker.sock' } });
  await app.user('ada@example.com', { teams: { ml: 'admin' } });
});
afterAll(async () => await app?.stop());

test.each([
  ['subagents', 'subagents: [agents/other]\n', true],
  ['servers', 'mcp_servers: [mcp/clock]\n', true],
  ['tools', 'tools: [tools/weather]\n', true],
  ['knowledge', 'knowledge_bases: [kb/handbook]\n', true],
  ['prompts', 'prompts: {talk: prompts/talk@production}\n', true],
  ['nothing', '', false],
])('the runs of an agent with %s have a row where they need one', async (name, yaml, calls_others) => {
  const { asset_id } = await storeAgent(app, 'ada@example.com', { name: `with-${name}`, yaml });
  const version = await app.db.one<{ id: string }>(sql`select id from version where asset_id = ${asset_id}`);
  expect(await servingConfig(app.db, version?.id ?? '')).toMatchObject({ calls_others });
});
