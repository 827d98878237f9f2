// What a caller thinks of an answer: given by the caller alone, and read by those who read the content of the run.
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { sql } from '../../ground/database/sql.ts';
import { makeSpan, storeSpans } from '../../testing/stored/make-span.ts';
import { serveAgent, storeAgent, type StoredAgent } from '../../testing/stored/stored-agent.ts';
import { testApp, type TestApp, type TestUser } from '../../testing/test-app.ts';

let app: TestApp;
let ada: TestUser;
let cal: TestUser;
let dora: TestUser;
let agent: StoredAgent;
beforeAll(async () => {
  app = await testApp({ config: { engine_host: 'unix:///nowhere/docker.sock' } });
  ada = await app.user('ada@example.com', { teams: { ml: 'admin' } });
  cal = await app.user('cal@example.com', { teams: { ml: 'viewer' } });
  dora = await app.user('dora@example.com', { teams: { ml: 'viewer' } });
  agent = await storeAgent(app, ada.email, { name: 'greeter' });
  await serveAgent(app, agent, 'http://192.0.2.1:0');
});
afterAll(async () => await app?.stop());

/** cal's call, which has ended, with its trace. */
async function answered(): Promise<{ run_id: string; trace_id: string }> {
  const run_id = randomUUID();
  const caller_id = (await app.db.one<{ id: string }>(sql`select id from app_user where email = ${cal.email}`))?.id;
  await app.db.run(sql`
    insert into invocation (id, agent_id, revision_id, caller_id, state, status, content_type, body)
    select ${run_id}, ${agent.asset_id}, id, ${caller_id}, 'ended', 200, 'application/json', '{}' from revision limit 1`);
  const trace_id = run_id.replaceAll('-', '');
  const of = { trace_id, run_id, agent_id: agent.asset_id, caller_id: caller_id ?? null, source: 'ingress' as const };
  await storeSpans(app.db, [makeSpan(of)]);
  return { run_id, trace_id };
}
const give = async ({ client }: TestUser, run_id: string, body: { is_good: boolean | null; reason?: string }) =>
  await client.call('invoke.feedback', { params: { name: 'greeter', run_id }, body });
const read = async ({ client }: TestUser, id: string) =>
  (await client.call('traces.show', { params: { id } })).feedback.map(({ is_good, reason }) => ({ is_good, reason }));

test('the last word of the caller counts, and is read with the content of the run', async () => {
  const { run_id, trace_id } = await answered();
  await give(cal, run_id, { is_good: true });
  expect(await read(cal, trace_id)).toEqual([{ is_good: true, reason: '' }]);
  await give(cal, run_id, { is_good: false, reason: 'a wrong price' });
  const said = [{ is_good: false, reason: 'a wrong price' }];
  expect([await read(cal, trace_id), await read(ada, trace_id), await read(dora, trace_id)]).toEqual([said, said, []]);
  await give(cal, run_id, { is_good: null });
  expect(await read(cal, trace_id)).toEqual([]);
});

test('a call that was answered at once leaves only its trace, which is enough', async () => {
  const { run_id, trace_id } = await answered();
  await app.db.run(sql`delete from invocation where id = ${run_id}`);
  await expect(give(dora, run_id, { is_good: true })).rejects.toMatchObject({ code: 'run_gone' });
  await give(cal, run_id, { is_good: true });
  expect(await read(cal, trace_id)).toEqual([{ is_good: true, reason: '' }]);
});

test('nobody else gives it, an admin of the agent neither, and a long reason is refused', async () => {
  const { run_id, trace_id } = await answered();
  await give(cal, run_id, { is_good: true });
  for (const other of [dora, ada])
    await expect(give(other, run_id, { is_good: false })).rejects.toMatchObject({ code: 'run_gone' });
  await expect(give(cal, run_id, { is_good: false, reason: 'x'.repeat(2001) })).rejects.toMatchObject({
    code: 'invalid',
  });
  expect(await read(cal, trace_id)).toEqual([{ is_good: true, reason: '' }]);
});
