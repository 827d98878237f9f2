// A real pgvector, and the thread of the service on the same database: both find the same.
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { createPgvector, pgvector } from '../../../ground/database/pgvector.ts';
import { sql } from '../../../ground/database/sql.ts';
import { places } from '../../../ground/places-of-files.ts';
import { bytesOf, unitVector } from '../../../ground/vectors/vectors.ts';
import { noRun } from '../../../models/gateway/run-of-call.ts';
import { findAsset } from '../../../assets/registry/find.ts';
import { machineChecks } from '../../../service/checks.ts';
import { refreshed } from '../../../testing/knowledge/knowledge-stage.ts';
import { realEmbeddings, type RealEmbeddings } from '../../../testing/models/real-embeddings.ts';
import { pgvectorDatabase } from '../../../testing/pgvector-database.ts';
import { testApp, type TestApp, type TestUser } from '../../../testing/test-app.ts';
import { everything, type Sight } from '../chunk-store.ts';
import type { SearchParts } from '../parts.ts';
import { byMeaning } from './by-meaning.ts';
import { most_compared } from './most-compared.ts';
import { requireSearched } from './search.ts';
import { openVectorSearch, type VectorSearch } from './vector-search.ts';

let model: RealEmbeddings;
let app: TestApp;
let ada: TestUser;
let bob: TestUser;
let thread: VectorSearch;

const documents = [
  { title: 'time-off', text: 'Employees get thirty days of paid leave each year.' },
  { title: 'kitchen', text: 'The kettle is on the second floor, beside the fridge.' },
  { title: 'board', text: 'Directors get forty days of paid leave each year.' },
];
const rights = [{ documents: 'board', readers: ['user:ada@example.com'] }];
const query = 'How much holiday do workers have?';

beforeAll(async () => {
  const [embeddings, database] = await Promise.all([realEmbeddings(), pgvectorDatabase()]);
  model = embeddings;
  app = await testApp({ database, config: { outbound_private_hosts: [model.host] } });
  thread = openVectorSearch();
  ada = await app.user('ada@example.com', { teams: { ml: 'admin' } });
  bob = await app.user('bob@example.com', { teams: { ml: 'viewer' } });
  await create('model', 'embed', { provider: 'test', type: 'embedding', model: 'embed', base_url: model.base_url });
  await create('knowledge-base', 'handbook', { documents, rights, language: 'en' });
  await create('rag-index', 'meaning', indexOf('handbook'));
  await refreshed(ada.client, 'knowledge.refresh', 'handbook');
  await built('meaning');
}, 300_000);
afterAll(async () => {
  await thread?.close();
  await app?.stop();
  await model?.stop();
});
afterEach(async () => await app.db.run(sql`create extension if not exists vector`));

const indexOf = (base: string, more: object = {}) => ({
  embedding_model: 'models/embed',
  knowledge_bases: [`kb/${base}`],
  ...more,
});
const create = async (kind: 'model' | 'knowledge-base' | 'rag-index', name: string, config: object) =>
  await ada.client.call('registry.create', {
    params: { kind },
    body: { name, team: 'ml', config: config as Record<string, string> },
  });
const built = async (name: string) => {
  const { state, problem } = await refreshed(ada.client, 'knowledge.refresh_index', name);
  expect([state, problem]).toEqual(['done', null]);
};
const without = async () => await app.db.run(sql`drop extension vector`);
const search = async (who: TestUser, name = 'meaning') => {
  const { passages, notices } = await who.client.call('knowledge.search_index', { params: { name }, body: { query } });
  return { found: passages.map(({ path, score }) => [path, score]), notices };
};
const searched = async (name: string) => {
  const asset = await findAsset(app.db, 'rag-index', name, null);
  if (asset === undefined) throw new Error(`there is no ${name}`);
  return { asset, ...(await requireSearched(app.db, asset)) };
};
/** With a vector of our own, so that no model is asked. */
const nearest = async (name: string, vector: Float32Array, sight: Sight) => {
  const { asset, parts } = await searched(name);
  const [{ made_by } = { made_by: '' }] = await app.db.all<{ made_by: string }>(
    sql`select made_by from knowledge_chunk where made_by is not null limit 1`,
  );
  const knowledge = { db: app.db, vectors: thread } as unknown as SearchParts; // a question with its vector asks no model
  return await byMeaning(knowledge, {
    asset,
    query,
    parts: parts.map((part) => ({ ...part, sight })),
    run: noRun,
    signal: new AbortController().signal,
    question: { vector, made_by },
    limit: 50,
  });
};
const random = () => unitVector(Array.from({ length: 256 }, () => Math.random() - 0.5)) ?? new Float32Array();
/** Copies of the chunks of the index, with other vectors where they are given. */
const addChunks = async (
  name: string,
  { first, count, vectors = [] }: { first: number; count: number; vectors?: readonly Float32Array[] },
) => {
  const { parts } = await searched(name);
  await app.db.run(sql`
    insert into knowledge_chunk (index_id, settings, document_id, n, starts, ends, headings, passage, words, vector, made_by)
    select c.index_id, c.settings, c.document_id, ${first}::int + g, c.starts, c.ends, c.headings, c.passage, c.words,
      coalesce((${JSON.stringify(vectors.map((one) => [...one]))}::jsonb ->> (g - 1))::vector::real[], c.vector), c.made_by
    from generate_series(1, ${count}::int) g, lateral (select * from knowledge_chunk k
      where k.index_id = ${parts[0]?.index_id} and k.n = 0 order by k.document_id offset g % 3 limit 1) c`);
};

test('the migration creates pgvector where the owner may, and changes nothing where it may not', async () => {
  expect(await pgvector(app.db)).toMatchObject({ is_available: true, is_usable: true });
  await without();
  await app.db.run(sql`create role weak`);
  await app.db.transaction(async (tx) => {
    await tx.run(sql`set local role weak`);
    await createPgvector(tx);
  });
  expect(await pgvector(app.db)).toEqual({ is_available: true, version: null, is_usable: false });
  await app.db.transaction(createPgvector);
  expect(await pgvector(app.db)).toMatchObject({ is_usable: true });
});

test('the doctor says which one searches, and what to do about it', async () => {
  const look = async () =>
    await machineChecks(app.db, app.data_dir, '1')
      .find(({ part }) => part === 'vectors')
      ?.look(AbortSignal.any([]));
  expect(await look()).toMatchObject({ verdict: 'ok', detail: expect.stringMatching(/^pgvector \d/) });
  await without();
  expect(await look()).toMatchObject({ verdict: 'warning', fix: 'create extension vector' });
  await app.db.run(sql`create schema other`);
  await app.db.run(sql`create extension vector schema other`);
  expect(await look()).toMatchObject({ verdict: 'warning', fix: 'alter extension vector set schema public' });
  expect((await search(bob)).found[0]?.[0]).toBe('time-off');
  await app.db.run(sql`drop schema other cascade`);
});

test('the same question finds the same passages with the same scores, also while the extension goes and comes', async () => {
  for (const who of [ada, bob]) {
    const by_extension = await search(who);
    await without();
    const by_thread = await search(who);
    await app.db.run(sql`create extension vector`);
    expect(by_thread).toEqual(by_extension);
    expect(await search(who)).toEqual(by_extension);
  }
  expect((await search(ada)).found.map(([path]) => path)).toContain('board');
  expect((await search(bob)).found.map(([path]) => path)).not.toContain('board');
});

test('T556: both compare the same vectors for any sight, and find the same ones with the same scores', async () => {
  await create('rag-index', 'many', indexOf('handbook', { chunk_size: 500 }));
  await built('many');
  const vectors = Array.from({ length: 2000 }, random);
  await addChunks('many', { first: 1000, count: 2000, vectors });
  const [board] = await app.db.all<{ id: string }>(sql`select id from knowledge_document where path = 'board'`);
  const sights: Sight[] = [everything, { readers: [], hidden: [] }, { readers: 'all', hidden: [board?.id ?? ''] }];
  for (const sight of sights) {
    const vector = random();
    const { found: by_extension } = await nearest('many', vector, sight);
    expect(thread.kept().indexes).toBe(sight === everything ? 0 : 1);
    await without();
    const { found: by_thread } = await nearest('many', vector, sight);
    await app.db.run(sql`create extension vector`);
    expect(by_extension).toHaveLength(50);
    expect(by_extension.map(({ id }) => id)).toEqual(by_thread.map(({ id }) => id));
    for (const [at, { score }] of by_extension.entries()) expect(score).toBeCloseTo(by_thread[at]?.score ?? NaN, 5);
    const hidden = await app.db.all<{ id: string }>(
      sql`select id::text as id from knowledge_chunk where document_id = ${board?.id}`,
    );
    const shown = new Set(by_extension.map(({ id }) => id));
    expect(hidden.some(({ id }) => shown.has(id))).toBe(sight === everything);
  }
});

test('more than 20,000 chunks of a base: built and searched with pgvector, refused without it before anything is paid', async () => {
  await create('rag-index', 'large', indexOf('handbook', { chunk_size: 600 }));
  await built('large');
  await addChunks('large', { first: 1000, count: most_compared });
  const missing = async () =>
    await app.db.one(sql`select count(*)::int as count from knowledge_chunk c join asset a on a.id = c.index_id
      where a.name = 'large' and c.vector is null`);
  await app.db.run(sql`update knowledge_chunk c set vector = null from asset a
    where a.id = c.index_id and a.name = 'large' and c.n = 1001`);
  expect(await missing()).toEqual({ count: 1 });
  await without();
  const refused = await refreshed(ada.client, 'knowledge.refresh_index', 'large');
  expect(refused).toMatchObject({ state: 'failed', problem: { code: 'too_many_chunks' } });
  expect(await missing()).toEqual({ count: 1 });
  const { found, notices } = await search(bob, 'large');
  expect(notices).toEqual([expect.stringContaining('by words only: it has more than 20000 chunks')]);
  expect(found).toEqual([]);
  await app.db.run(sql`create extension vector`);
  await built('large');
  expect(await missing()).toEqual({ count: 0 });
  const all = await search(bob, 'large');
  expect(all.notices).toEqual([]);
  expect(all.found[0]?.[0]).toBe('time-off');
}, 120_000);

test('vectors of an older version become the same numbers', async () => {
  const text = await readFile(join(places.migrations, '359-vectors-as-numbers.sql'), 'utf8');
  await app.db.run({ strings: [text.slice(0, text.indexOf('alter table'))], values: [] });
  const values = Float32Array.of(0, -0, 1, -1, 0.1, -0.6071, 1e-45, 1.17e-38, 3.4e38, ...random());
  const row = await app.db.one<{ numbers: number[] }>(sql`select knowledge_numbers(${bytesOf([values])}) as numbers`);
  expect(Float32Array.from(row?.numbers ?? [])).toEqual(values);
  expect(await app.db.one(sql`select knowledge_numbers(''::bytea) as numbers`)).toEqual({ numbers: [] });
  await app.db.run(sql`drop function knowledge_numbers(bytea)`);
});
