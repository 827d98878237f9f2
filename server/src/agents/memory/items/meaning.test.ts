// Items of a store that are found by meaning, through the door of the agents.
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { sql } from '../../../ground/database/sql.ts';
import { memoryStage, type MemoryStage, type OpenedRun } from '../../../testing/agents/memory-stage.ts';
import { embeddingUpstream, type EmbeddingUpstream } from '../../../testing/models/embedding-upstream.ts';

let upstream: EmbeddingUpstream;
let stage: MemoryStage;
let ada: string;
let bob: string;

const model = { provider: 'test', type: 'embedding', price_usd_per_million: { input: '1000' } } as const;

beforeAll(async () => {
  upstream = await embeddingUpstream();
  stage = await memoryStage({
    private_hosts: [upstream.host],
    prepare: async ({ client }) => {
      const config = { ...model, model: 'first', base_url: upstream.base_url };
      await client.call('registry.create', { params: { kind: 'model' }, body: { name: 'embed', team: 'ml', config } });
      const made = await client.call('registry.create', {
        params: { kind: 'memory-config' },
        body: { name: 'by-meaning', team: 'ml', config: { embedding: 'models/embed', search: ['text'] } },
      });
      return made.versions.map(({ digest, version }) => ({
        ref: 'memory-configs/by-meaning',
        asset_id: made.id,
        digest: digest ?? '',
        version,
      }));
    },
  });
  const { email } = await stage.app.user('bob@example.com', { teams: { ml: 'viewer' } });
  const idOf = async (of: string) =>
    (await stage.app.db.one<{ id: string }>(sql`select id from app_user where email = ${of}`))?.id ?? '';
  [ada, bob] = [await idOf(stage.ada.email), await idOf(email)];
});
afterAll(async () => {
  await stage?.close();
  await upstream?.stop();
});
beforeEach(async () => {
  upstream.asked.length = 0;
  upstream.status = 200;
  await stage.app.db.run(sql`delete from store_item`);
});

const ask = async (run: OpenedRun, ...ops: object[]) => {
  const { json, status } = await run.ask('POST', '/memory/store', { ops });
  if (status !== 200) throw new Error(JSON.stringify(json));
  return json['data'] as { results: { key: string; score: number | null }[][]; notices: string[] };
};
const put = (key: string, text: string, more: object = {}) => ({
  op: 'put',
  namespace: ['memories'],
  key,
  value: { text, note: 'about travel by train' },
  ...more,
});
const search = async (run: OpenedRun, query: string) => {
  const { results, notices } = await ask(run, { op: 'search', prefix: [], query });
  return {
    keys: (results[0] ?? []).map(({ key }) => key),
    scores: (results[0] ?? []).map(({ score }) => score),
    notices,
  };
};

test('a query finds an item that shares no word with it', async () => {
  const run = await stage.openRun({ caller_id: ada });
  expect(await ask(run, put('trip', 'The train leaves at noon'), put('drink', 'Ada likes tea'))).toMatchObject({
    notices: [],
  });
  // One request for a batch, and only the texts at the paths of the config.
  expect(upstream.asked).toMatchObject([{ input: ['The train leaves at noon', 'Ada likes tea'] }]);
  const { keys, scores, notices } = await search(run, 'Which beverage?');
  expect([keys, notices]).toEqual([['drink', 'trip'], []]);
  expect(scores[0]).toBeCloseTo(1);
  expect(scores[1]).toBeLessThan(0.2);
  await run.end();
});

test('the agent’s key pays, in the ledger, and the run has it in its trace', async () => {
  const run = await stage.openRun({ caller_id: ada });
  await ask(run, put('drink', 'Ada likes tea'));
  const settled = async () =>
    await stage.app.db.all(
      sql`select model, tags, run_id, caller_id, input_tokens from ledger where run_id = ${run.id}`,
    );
  await expect
    .poll(settled)
    .toMatchObject([{ model: 'embed', tags: ['memory:embedding'], caller_id: ada, input_tokens: 10 }]);
  const spans = async () => await stage.app.db.all(sql`select name, kind from span where run_id = ${run.id}`);
  await expect.poll(spans).toEqual([{ name: 'embeddings models/embed', kind: 'embedding' }]);
  await run.end();
});

test('an item of another owner is never found or embedded, and no text and no vector is readable at rest', async () => {
  const [of_ada, of_bob] = [await stage.openRun({ caller_id: ada }), await stage.openRun({ caller_id: bob })];
  upstream.status = 500;
  await ask(of_bob, put('drink', 'Bob likes coffee'));
  upstream.status = 200;
  await ask(of_ada, put('drink', 'Ada likes tea'));
  upstream.asked.length = 0;
  expect(await search(of_ada, 'beverage')).toMatchObject({ keys: ['drink'] });
  expect(JSON.stringify(upstream.asked)).not.toContain('Bob');
  const rows = await stage.app.db.all<{ vectors: Buffer | null }>(sql`select vectors from store_item`);
  const plain = Buffer.from(Float32Array.of(1 / Math.hypot(1, 0.1)).buffer);
  expect(rows.filter(({ vectors }) => vectors !== null)).toHaveLength(1);
  expect(rows.some(({ vectors }) => vectors?.includes(plain) === true)).toBe(false);
  // Vectors of another row do not open.
  expect(await search(of_bob, 'beverage')).toMatchObject({ keys: ['drink'], notices: [] });
  await stage.app.db.run(
    sql`update store_item set vectors = (select o.vectors from store_item o where o.owner <> store_item.owner)`,
  );
  const { json } = await of_bob.ask('POST', '/memory/store', {
    ops: [{ op: 'search', prefix: [], query: 'beverage' }],
  });
  expect(json).toMatchObject({ code: 'memory_damaged' });
  await of_ada.end();
  await of_bob.end();
});

test('without its model an item is stored and words are searched, both say so, and a later search embeds it', async () => {
  const run = await stage.openRun({ caller_id: ada });
  upstream.status = 500;
  const said = await ask(run, put('drink', 'Ada likes tea'));
  expect(said.notices).toEqual([
    expect.stringMatching(/^stored without vectors, until a search makes them: .*answered 500/),
  ]);
  expect(await search(run, 'likes tea?')).toMatchObject({
    keys: ['drink'],
    notices: [expect.stringMatching(/^searched words only: /)],
  });
  upstream.status = 200;
  await ask(run, put('trip', 'The train leaves at noon'));
  expect(await search(run, 'beverage')).toMatchObject({ keys: ['drink', 'trip'], notices: [] });
  upstream.asked.length = 0;
  await search(run, 'beverage');
  expect(upstream.asked).toMatchObject([{ input: ['beverage'] }]);
  await run.end();
});

test('after the model has changed, a search makes the vectors again and compares no old ones', async () => {
  const run = await stage.openRun({ caller_id: ada });
  await ask(run, put('drink', 'Ada likes tea'), put('trip', 'The train leaves at noon'));
  const config = { ...model, base_url: upstream.base_url };
  let minor = 0;
  const edit = async (name: string) =>
    await stage.ada.client.call('registry.edit', {
      params: { kind: 'model', name: 'embed' },
      body: { config: { ...config, model: name }, version: `1.${++minor}.0` },
    });
  await edit('newer');
  upstream.asked.length = 0;
  expect(await search(run, 'beverage')).toMatchObject({ keys: ['drink', 'trip'], notices: [] });
  expect(upstream.asked.map(({ model: asked, input }) => [asked, input.length])).toEqual([
    ['newer', 1],
    ['newer', 2],
  ]);
  await edit('first');
  await run.end();
});

test('paths of a put count before those of the config, and false means no text', async () => {
  const run = await stage.openRun({ caller_id: ada });
  await ask(run, put('hidden', 'tea', { index: false }), put('note', 'tea', { index: ['note'] }));
  expect(upstream.asked).toMatchObject([{ input: ['about travel by train'] }]);
  upstream.asked.length = 0;
  const { keys, scores } = await search(run, 'journey');
  expect([keys, scores[1]]).toEqual([['note', 'hidden'], null]);
  expect(upstream.asked).toMatchObject([{ input: ['journey'] }]);
  await run.end();
});

test('a put, a search and an empty query in one request make one call to the model', async () => {
  const run = await stage.openRun({ caller_id: ada });
  const { results } = await ask(
    run,
    put('drink', 'Ada likes tea'),
    { op: 'search', prefix: ['memories'], query: 'beverage' },
    { op: 'search', prefix: [], query: ' ' },
    { op: 'search', prefix: ['elsewhere'], query: 'beverage' },
  );
  expect(results.slice(1).map((found) => found.map(({ key, score }) => [key, score !== null]))).toEqual([
    [['drink', true]],
    [['drink', false]],
    [],
  ]);
  expect(upstream.asked).toHaveLength(1);
  await run.end();
});

test('a text that a guardrail blocks reaches no model, and the others of its request do', async () => {
  const guardrails = [{ name: 'content_filter', options: { words: ['project falcon'] } }];
  const settings = JSON.stringify({ guardrails });
  await stage.app.governed(
    sql`update gateway_key set settings = ${settings}::jsonb where id = ${stage.key_id} returning id`,
  );
  const run = await stage.openRun({ caller_id: ada });
  await ask(run, put('falcon', 'She works on Project Falcon'), put('drink', 'Ada likes tea'));
  expect(await search(run, 'beverage')).toMatchObject({ keys: ['drink', 'falcon'], notices: [] });
  expect(JSON.stringify(upstream.asked)).not.toContain('Falcon');
  // Its words find it all the same.
  expect((await search(run, 'works')).keys[0]).toBe('falcon');
  await stage.app.governed(sql`update gateway_key set settings = null where id = ${stage.key_id} returning id`);
  await run.end();
});
