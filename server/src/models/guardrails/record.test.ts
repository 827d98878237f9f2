// Guardrails that the organisation requires, at the real gateway and ingress, and what the record then has.
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { sql } from '../../ground/database/sql.ts';
import { standInFor } from '../../testing/agents/agent-stand-in.ts';
import { modelStage, type ModelStage } from '../../testing/models/model-stage.ts';
import { blocksWord, endless, hidesEmail } from '../../testing/models/plain-rules.ts';
import { storeAgent } from '../../testing/stored/stored-agent.ts';
import { askNobody, Blocked, GuardedCall, nothingGiven } from './guarded-call.ts';
import { forgetOldRecords, openGuardrailRecord } from './record.ts';

let stage: ModelStage;
let key: { id: string; key?: string | undefined; prefix: string };
let url: string;
const said = { text: 'The capital of France is Paris.' };

beforeAll(async () => {
  stage = await modelStage();
  ({ url } = stage.app);
  key = await stage.max.client.call('keys.create', { body: { max_budget: '1000' } });
  const agent = await storeAgent(stage.app, stage.max.email, { name: 'greeter' });
  await standInFor(stage.app, agent, (request, response) => {
    request.resume();
    if (request.url === '/stream') {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      const deltas = ['The capital of France is Pa', 'ris.'].map((delta) => ({
        type: 'TEXT_MESSAGE_CONTENT',
        messageId: 'm',
        delta,
      }));
      for (const event of [...deltas, { type: 'RUN_FINISHED' }]) response.write(`data: ${JSON.stringify(event)}\n\n`);
      response.end();
    } else
      response
        .writeHead(200, { 'content-type': 'application/json' })
        .end(JSON.stringify({ run_id: 'r', output: said }));
  });
});
afterAll(async () => await stage?.stop());

const require = async (...required_guardrails: object[]) =>
  await stage.app.admin.client.call('org.set', { body: { required_guardrails } as object });
const blocks = (word: string, teams?: string[]) => ({
  name: 'content_filter',
  options: { words: [word] },
  ...(teams && { teams }),
});
const newestBlock = async () =>
  await stage.app.db.one(sql`
    select b.rule, b.place, b.reason, b.key_prefix, b.run_id::text, a.name as agent, t.name as team
    from guardrail_block b left join asset a on a.id = b.agent_id left join team t on t.id = b.team_id
    order by b.id desc limit 1`);
const ask = async (content: string, more: object = {}) =>
  await stage.call(key.key, { body: { messages: [{ role: 'user', content }], ...more } });
const invoke = async (path: string, input: string) =>
  await fetch(`${url}/agents/greeter/${path}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${stage.max.token}`, 'content-type': 'application/json' },
    body: JSON.stringify({ input }),
  });

test('a required guardrail is in effect with the next call of a running gateway, for its teams, and leaves with the setting', async () => {
  await require();
  expect(await ask('about unicorns')).toMatchObject({ status: 200 });
  await require(blocks('unicorns', ['another']));
  expect(await ask('about unicorns')).toMatchObject({ status: 200 });
  await require(blocks('unicorns', ['another', 'ml']));
  expect(await ask('about unicorns')).toMatchObject({ status: 400, code: 'guardrail_blocked' });
  const block = await newestBlock();
  expect(block).toMatchObject({ rule: 'content_filter', place: 'model_in', key_prefix: key.prefix, team: 'ml' });
  expect(JSON.stringify(block)).not.toContain('unicorns');
  await require();
  expect(await ask('about unicorns')).toMatchObject({ status: 200 });
});

test('a blocked answer of a model is on the record before its refusal, whole and as a stream', async () => {
  await require(blocks('paris'));
  expect(await ask('hello')).toMatchObject({ status: 400, code: 'guardrail_blocked' });
  expect(await newestBlock()).toMatchObject({ place: 'model_out', key_prefix: key.prefix, agent: null });
  await stage.app.db.run(sql`delete from guardrail_block`);
  const streamed = await fetch(`${url}/v1/chat/completions`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${key.key}` },
    body: JSON.stringify({ model: 'small', stream: true, messages: [{ role: 'user', content: 'hello' }] }),
  });
  const text = await streamed.text();
  expect(text).toContain('guardrail_blocked');
  expect(text).not.toContain('Paris');
  expect(await newestBlock()).toMatchObject({ rule: 'content_filter', place: 'model_out', team: 'ml' });
});

test('a required guardrail is in effect with the next call of an agent that serves, whatever its agent.yaml says', async () => {
  await require();
  expect((await invoke('invoke', 'about unicorns')).status).toBe(200);
  await require(blocks('unicorns', ['ml']));
  expect((await invoke('invoke', 'about unicorns')).status).toBe(400);
  expect(await newestBlock()).toMatchObject({ place: 'ingress_in', agent: 'greeter', team: 'ml', key_prefix: null });
  await require(blocks('paris', ['ml']));
  const refused = await invoke('invoke', 'hello');
  expect(refused.status).toBe(400);
  expect(await newestBlock()).toMatchObject({ place: 'ingress_out', agent: 'greeter' });
  const streamed = await invoke('stream', 'hello');
  const text = await streamed.text();
  expect(text).toContain('RUN_ERROR');
  expect(text).not.toContain('Paris');
  expect(await newestBlock()).toMatchObject({ place: 'ingress_out', run_id: streamed.headers.get('x-run-id') });
  await require();
});

test('an agent that was transferred has the guardrails of its new team', async () => {
  await stage.app.user('zoe@example.com', { teams: { sales: 'admin' } });
  await require(blocks('unicorns', ['sales']));
  expect((await invoke('invoke', 'about unicorns')).status).toBe(200);
  await stage.app.governed(
    sql`update asset set team_id = (select id from team where name = 'sales'), visibility = 'org' where name = 'greeter' returning id`,
  );
  expect((await invoke('invoke', 'about unicorns')).status).toBe(400);
  expect(await newestBlock()).toMatchObject({ agent: 'greeter', team: 'sales' });
  await require();
});

test('what rules did is counted once a call and place, and added to the counts of the hour', async () => {
  const { db } = stage.app;
  const team_id = (await db.one<{ id: string }>(sql`select id from team where name = 'ml'`))?.id ?? '';
  const failed: unknown[] = [];
  const call = async () => {
    const record = openGuardrailRecord(db, { onError: (error) => failed.push(error) });
    const guarded = new GuardedCall([hidesEmail, blocksWord], {
      ask: askNobody,
      given: nothingGiven,
      record: record.of({ agent_id: null, team_id, key_prefix: 'sk', run_id: null }),
      signal: endless,
    });
    const mails = [{ text: 'ann@example.com and eve@example.com', source: 'message' as const }];
    await guarded.check('model_in', mails);
    await guarded.check('model_in', [{ text: 'nothing', source: 'message' }]);
    const stream = guarded.stream('model_out');
    await stream.push('it is forbid');
    await expect(stream.push('den now')).rejects.toThrow(Blocked);
    await record.close();
  };
  const counted = async () =>
    await db.all(sql`select rule, place, outcome, count from guardrail_count where team_id = ${team_id}
      and rule in ('pii_detection', 'content_filter') and outcome <> 'checked' order by 1, 2, 3`);
  await db.run(sql`delete from guardrail_count`);
  await call();
  const of = (count: number) => [
    { rule: 'content_filter', place: 'model_out', outcome: 'blocked', count },
    { rule: 'pii_detection', place: 'model_in', outcome: 'redacted', count: 2 * count },
  ];
  expect(await counted()).toEqual(of(1));
  await call();
  expect(await counted()).toEqual(of(2));
  expect(
    await db.all(sql`select rule, place, count from guardrail_count where outcome = 'checked' order by 1, 2`),
  ).toEqual(
    [
      ['content_filter', 'model_in'],
      ['content_filter', 'model_out'],
      ['pii_detection', 'model_in'],
      ['pii_detection', 'model_out'],
    ].map(([rule, place]) => ({ rule, place, count: 2 })),
  );
  expect(failed).toEqual([]);
});

test('a count that the database refuses stops no other one', async () => {
  const { db } = stage.app;
  await db.run(sql`delete from guardrail_count`);
  const failed: unknown[] = [];
  const record = openGuardrailRecord(db, { onError: (error) => failed.push(error) });
  const done = { rule: 'pii_detection', place: 'model_in', outcome: 'redacted' } as const;
  for (const team_id of [randomUUID(), 'no id', randomUUID()])
    record.of({ agent_id: null, team_id, key_prefix: null, run_id: null }).count(done, 1);
  await record.close();
  const counted = { rule: 'pii_detection', count: 1 };
  expect(await db.all(sql`select rule, count from guardrail_count`)).toEqual([counted, counted]);
  expect(failed).toMatchObject([{ message: 'the database refuses 1 counts of guardrails' }]);
});

test('without its row the block stands, and the error is reported', async () => {
  const failed: unknown[] = [];
  const broken = { ...stage.app.db, run: async () => await Promise.reject(new Error('the database is away')) };
  const record = openGuardrailRecord(broken, { onError: (error) => failed.push(error) });
  const guarded = new GuardedCall([blocksWord], {
    ask: askNobody,
    given: nothingGiven,
    record: record.of({ agent_id: null, team_id: null, key_prefix: null, run_id: null }),
    signal: endless,
  });
  await expect(guarded.check('model_in', [{ text: 'forbidden', source: 'message' }])).rejects.toThrow(Blocked);
  expect(failed).toEqual([new Error('the database is away')]);
  await record.close();
});

test('readers of an agent see its counts, who may edit it its blocks, and admins of a team those of the team', async () => {
  const { app } = stage;
  await require();
  const uma = await app.user('uma@example.com', { role: 'viewer' });
  const agent = await app.db.one<{ id: string; team_id: string }>(
    sql`select id, team_id from asset where name = 'greeter'`,
  );
  const { id: agent_id = '', team_id = '' } = agent ?? {};
  await app.db.run(sql`delete from guardrail_block`);
  await app.db.run(sql`delete from guardrail_count`);
  const record = openGuardrailRecord(app.db, { onError: () => {} });
  const call = new GuardedCall([blocksWord], {
    ask: askNobody,
    given: nothingGiven,
    record: record.of({ agent_id, team_id, key_prefix: null, run_id: null }),
    signal: endless,
  });
  await expect(call.check('ingress_in', [{ text: 'forbidden', source: 'message' }])).rejects.toThrow(Blocked);
  await record.close();
  const of = { rule: 'content_filter', place: 'ingress_in' };
  const counts = ['blocked', 'checked'].map((outcome) => ({ ...of, outcome, count: 1 }));
  const block = { ...of, agent: 'greeter', reason: 'a word of its list', run_id: null };
  const report = async (who: typeof uma, query: object) => await who.client.call('guardrails.report', { query });
  expect(await report(app.admin, { agent: 'greeter' })).toMatchObject({ counts, blocks: [block] });
  expect(await report(app.admin, { team: 'sales' })).toMatchObject({ counts, blocks: [block] });
  expect(await report(uma, { agent: 'greeter' })).toMatchObject({ counts, blocks: null });
  for (const [query, code] of [
    [{ team: 'sales' }, 'not_found'],
    [{ agent: 'unknown' }, 'not_found'],
    [{}, 'malformed'],
    [{ agent: 'greeter', team: 'sales' }, 'malformed'],
  ] as const)
    await expect(report(uma, query)).rejects.toMatchObject({ code });
  const age = async (days: number) => {
    await app.db.run(sql`update guardrail_count set hour = hour - make_interval(days => ${days})`);
    await app.db.run(sql`update guardrail_block set at = at - make_interval(days => ${days})`);
    await forgetOldRecords(app.db);
  };
  await age(8);
  expect(await report(app.admin, { agent: 'greeter' })).toMatchObject({ counts: [], blocks: [] });
  const since = new Date(Date.now() - 30 * 86_400_000).toISOString();
  expect(await report(app.admin, { agent: 'greeter', since })).toMatchObject({ counts, blocks: [block] });
  await age(83);
  expect(await app.db.all(sql`select 1 from guardrail_count union all select 1 from guardrail_block`)).toEqual([]);
});
