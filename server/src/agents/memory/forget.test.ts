// What ends by itself, and what a user who is forgotten leaves: nothing in any table that has their words.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { sql } from '../../ground/database/sql.ts';
import { memoryStage, superstep, type MemoryStage } from '../../testing/agents/memory-stage.ts';
import { contains, databaseAsText } from '../../testing/database-as-text.ts';
import { makeSpan, storeSpans } from '../../testing/stored/make-span.ts';
import { deployedOrchestration, orchestrationRunOf } from '../../testing/stored/stored-orchestrations.ts';
import { storeCall } from '../../testing/stored/stored-call.ts';
import { storeQuestion } from '../../testing/stored/stored-question.ts';
import { storeAsk, storeConnection } from '../../testing/stored/stored-connection.ts';
import { storeThread } from '../../testing/stored/stored-thread.ts';
import type { TestUser } from '../../testing/test-app.ts';
import { forgetOldMemory } from './forget-old.ts';
import { writeFrames } from './frames.ts';

let stage: MemoryStage;
let ada_id: string;
const word = 'zanzibar';
beforeAll(async () => {
  stage = await memoryStage();
  ada_id = await idOf(stage.ada.email);
});
afterAll(async () => await stage?.close());

const idOf = async (email: string) =>
  (await stage.app.db.one<{ id: string }>(sql`select id from app_user where email = ${email} and removed_at is null`))
    ?.id ?? '';

async function remember(thread: string): Promise<void> {
  const run = await stage.openRun({ caller_id: ada_id, thread });
  await run.ask('POST', '/memory/state', superstep('1', { value: word }));
  const op = { op: 'put', namespace: ['facts'], key: thread, value: { text: word } };
  await run.ask('POST', '/memory/store', { ops: [op] });
  await run.end();
}
const count = async (table: 'thread' | 'store_item') => {
  const from = { thread: sql`select count(*) from thread`, store_item: sql`select count(*) from store_item` };
  return (await stage.app.db.one<{ count: number }>(from[table]))?.count;
};

test('threads and items end the set time after their last use, and not while a call works on one', async () => {
  for (const name of ['old', 'working', 'new']) await remember(name);
  await stage.app.db.run(sql`
    update thread set used_at = used_at - interval '91 days' where name in ('old', 'working')`);
  await stage.app.db.run(sql`
    update store_item set used_at = used_at - interval '91 days' where ctid = (select min(ctid) from store_item)`);
  const run = await stage.openRun({ caller_id: ada_id, thread: 'working' });
  await stage.app.db.run(sql`update thread set used_at = used_at - interval '91 days' where name = 'working'`);
  await forgetOldMemory(stage.app.db);
  const names = await stage.app.db.all<{ name: string }>(sql`select name from thread order by name`);
  expect(names.map(({ name }) => name)).toEqual(['new', 'working']);
  expect(await count('store_item')).toBe(2);
  await run.end();
  await stage.app.admin.client.call('org.set', { body: { memory_kept_days: null } });
  await forgetOldMemory(stage.app.db);
  expect(await count('thread')).toBe(2);
});

// Nothing of these is about a call's words, except what an agent printed (kept_log_part), which docs/guide/memory.md says. A new table is named here,
// or `speak` puts a word into it, and the `forgets` of its feature erases it.
const wordless = `
  account agent_event app_user approval approval_comment approval_vote artefact asset audit.checkpoint audit.entry audit.governed audit.head
  audit.horizon audit_cursor audit_push base_pin blob budget budget_alert call_figure call_key client_code client_refresh_token connection_client connection_consent connection_sign_in content crash_loop dependency_lock deployment dialled door_process
  egress_refusal former_name gateway_key gateway_key_seen gateway_process group_member guardrail_block guardrail_count guardrail_given
  held_key hold hosted_image instance instance_epoch job join_token kept_log kept_log_part key_default
  knowledge_blob knowledge_chunk knowledge_document knowledge_erasure knowledge_failure knowledge_hook knowledge_index knowledge_serving knowledge_snapshot knowledge_snapshot_document knowledge_upload ledger login_failure lost_log membership
  migration model_health no_room notification oauth_client org password_token permission placement prompt_example prompt_label_move prompt_payer rate reading_grant refused_start revision revision_input route
  run_exposure
  secret secret_value service_key service_key_use service_principal session side_container signing_key span_loss stored_key target_credential target_drift target_look target_resource team tool_call tool_list
  tool_pin user_group user_identity version waiting_notice webhook webhook_delivery
`;

/** Each table with something that a caller has said gets a row of Ada. Returns what betrays it. */
async function speak(thread: string): Promise<string[]> {
  const { app, agent } = stage;
  const { db } = app;
  const id = await storeThread(app, agent, stage.ada.email, { name: thread });
  await remember(thread);
  const run = await stage.openRun({ caller_id: ada_id, thread });
  const of_task = { ns: '', checkpoint_id: '1', task_id: 't', task_path: '' };
  const items = [{ idx: 0, channel: 'messages', type: 'msgpack', size: word.length }];
  const written = await run.ask(
    'POST',
    '/memory/state',
    writeFrames({ writes: [{ ...of_task, items }] }, [Buffer.from(word)]),
  );
  expect(written.status).toBe(204);
  const answer = { status: 200, content_type: 'application/json', body: Buffer.from(`{"output":"${word}"}`) };
  await db.run(sql`
    update invocation set state = 'ended', status = ${answer.status}, content_type = ${answer.content_type}, body = ${answer.body} where id = ${run.id}`);
  await db.run(sql`
    insert into langgraph_run (run_id, thread_id, multitask_strategy, metadata) values (${run.id}, ${id}, 'enqueue', '\\x00')`);
  await db.run(sql`
    insert into langgraph_part (run_id, first_id, last_id, parts, is_last) values (${run.id}, 1, 1, ${Buffer.from(word)}, true)`);
  await db.run(sql`
    insert into thread_share (thread_id, principal_type, principal_id, ends_at) values (${id}, 'team', ${ada_id}, clock_now())`);
  await storeSpans(db, [
    makeSpan({
      caller_id: ada_id,
      run_id: run.id,
      agent_id: agent.asset_id,
      input: word,
      output: word,
      error: `it said ${word}`,
      attributes: { 'session.id': `${thread} about ${word}` },
    }),
  ]);
  await stage.ada.client.call('invoke.feedback', {
    params: { name: agent.name, run_id: run.id },
    body: { is_good: false, reason: word },
  });
  await db.run(sql`
    insert into idempotency_key (owner_id, key, endpoint, digest, attempt, lease_until, state, status, reply)
    values (${ada_id}, ${thread}, 'POST /somewhere', 'x', gen_random_uuid(), clock_now(), 'answered', 201, ${word})`);
  const flow_run = await orchestrationRunOf(app, 'flow', stage.ada.email, 'failed');
  const given = JSON.stringify({ input: word, thread_id: word, context_id: word });
  const said = JSON.stringify({ text: word, output: { text: word } });
  const failure = JSON.stringify({ code: 'member_failed', title: 'failed', status: 502, detail: word });
  await db.run(sql`
    update run set input = input || ${given}::jsonb, result = ${said}::jsonb - 'text', problem = ${failure}::jsonb, ending = ${failure}::jsonb,
      last_seq = 1 where id = ${flow_run}`);
  await db.run(sql`
    insert into run_step (run_id, n, name, has_undo, state, output, problem)
    values (${flow_run}, 1, 'one', false, 'failed', ${said}::jsonb, ${failure}::jsonb)`);
  await db.run(sql`
    insert into run_event (run_id, seq, kind, message, data) values (${flow_run}, 1, 'log', ${word}, ${said}::jsonb)`);
  await db.run(sql`
    insert into thread_wait (run_id, path, n, thread_id, checkpoint_id, value) values (${flow_run}, 'one', 1, ${id}, '1', '\\x00')`);
  await storeCall(app, { agent: agent.name, server: 'city', word, caller_id: ada_id });
  await storeQuestion(app, { email: stage.ada.email, agent: agent.name, server: 'city', word });
  const whose = { email: stage.ada.email, server: 'city' };
  await storeConnection(app, { ...whose, address: `http://127.0.0.1:1/${word}` });
  await storeAsk(app, { ...whose, agent: agent.name, word });
  const of_client = { resource: `${app.url}/mcp`, redirect_uri: 'http://127.0.0.1/callback' };
  await db.run(sql`
    insert into client_ask (user_id, session_id, client_id, client_name, redirect_uri, resource, scopes, code_challenge, state, expires_at)
    values (${ada_id}, gen_random_uuid(), ${word}, ${word}, ${of_client.redirect_uri}, ${of_client.resource}, '{read}', 'x', ${word}, clock_now() + interval '1 day')`);
  await db.run(sql`
    insert into client_grant (user_id, client_id, client_name, redirect_uri, resource, scopes, expires_at)
    values (${ada_id}, ${word}, ${word}, ${of_client.redirect_uri}, ${of_client.resource}, '{read}', clock_now() + interval '1 day')`);
  return [word, id ?? ''];
}

test('a forgotten user leaves nothing in any table, and the receipt is in the log', async () => {
  await stage.ada.client.call('registry.create', {
    params: { kind: 'mcp-server' },
    body: { name: 'city', team: 'ml', config: { transport: 'streamable-http', url: 'http://127.0.0.1:1/mcp' } },
  });
  await deployedOrchestration(stage.app, stage.ada, { name: 'flow', agent: stage.agent, visibility: 'team' });
  const traces = [...(await speak('first')), ...(await speak('second')), `user ${ada_id}`];
  const speaking = (dump: Map<string, string>) =>
    [...dump].filter(([, text]) => traces.some((trace) => contains(text, trace))).map(([name]) => name);
  const before = await databaseAsText(stage.app.db);
  const spoken = speaking(before);
  const silent = [...before.keys()].filter((name) => !spoken.includes(name)).map((name) => name.replace('public.', ''));
  // Each day has a part of span.
  expect(silent.filter((name) => !name.startsWith('span_2')).toSorted()).toEqual(wordless.trim().split(/\s+/));

  const params = { id: ada_id };
  const bob = await stage.app.user('bob@example.com', { teams: { ml: 'admin' } });
  expect(await refusal(bob)).toMatchObject({ code: 'forbidden' });
  const open = await stage.openRun({ caller_id: ada_id });
  expect(await refusal(stage.ada)).toMatchObject({ code: 'conflict' });
  await open.end();
  const receipt = await stage.ada.client.call('threads.forget_user', { params, body: {} });
  expect(receipt).toMatchObject({
    user: stage.ada.email,
    erased: {
      threads: 4,
      items: 4,
      calls: 2,
      orchestration_runs: 2,
      calls_to_approve: 2,
      questions_of_servers: 2,
      connections: 3,
      spans: 2,
      feedback: 2,
      replies: 2,
    },
  });
  expect(speaking(await databaseAsText(stage.app.db))).toEqual([]);
  const { items } = await stage.app.admin.client.call('audit.list', { query: { action: 'memory.forgotten' } });
  expect(items[0]).toMatchObject({
    actor: { name: stage.ada.email },
    detail: { user: stage.ada.email, erased: { threads: 4 } },
  });
  expect(`${items[0]?.chain}/${items[0]?.seq}`).toBe(receipt.entry);
});

test('a user who was removed is forgotten afterwards by a platform admin alone, and one with the same address is not', async () => {
  const { admin } = stage.app;
  await remember('of the removed');
  const { email: heir } = await stage.app.user('heir@example.com', { teams: { ml: 'admin' } });
  await admin.client.call('users.remove', { params: { id: ada_id }, query: { assets_to: heir } });
  const again = await stage.app.user(stage.ada.email, { teams: { ml: 'admin' } });
  const { items } = await admin.client.call('users.list', { query: { email: stage.ada.email, removed: 'true' } });
  expect(items.map(({ id }) => id)).toEqual([ada_id]);
  const refused = again.client.call('threads.forget_user', { params: { id: ada_id }, body: {} });
  await expect(refused).rejects.toMatchObject({ code: 'forbidden' });
  const other = await again.client.call('threads.forget_user', { params: { id: await idOf(again.email) }, body: {} });
  expect(other.erased).toMatchObject({ threads: 0 });
  const receipt = await admin.client.call('threads.forget_user', { params: { id: ada_id }, body: {} });
  expect(receipt.user).toBe(stage.ada.email);
  expect(receipt.erased['threads']).toBeGreaterThan(0);
  expect(await stage.app.db.all(sql`select 1 from thread where owner_id = ${ada_id}`)).toEqual([]);
});

const refusal = async ({ client }: TestUser) =>
  await client.call('threads.forget_user', { params: { id: ada_id }, body: {} }).catch((error: unknown) => error);
