// A RAG index with the weights of a real embedding model: a question finds the passage that means the same in other words.
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Problem } from '@gantry/contract/problems.ts';
import { sql } from '../../ground/database/sql.ts';
import { refreshed } from '../../testing/knowledge/knowledge-stage.ts';
import { realEmbeddings, type RealEmbeddings } from '../../testing/models/real-embeddings.ts';
import { noRun } from '../../models/gateway/run-of-call.ts';
import { findAsset } from '../../assets/registry/find.ts';
import { everything } from './chunk-store.ts';
import type { SearchParts } from './parts.ts';
import { byMeaning } from './search/by-meaning.ts';
import { requireSearched } from './search/search.ts';
import { openVectorSearch } from './search/vector-search.ts';
import { testApp, type TestApp, type TestUser } from '../../testing/test-app.ts';

let model: RealEmbeddings;
let app: TestApp;
let ada: TestUser;
let bob: TestUser;

const documents = [
  { title: 'time-off', text: '# Time off\n\nEmployees get thirty days of paid leave each year.' },
  { title: 'kitchen', text: '# Kitchen\n\nThe kettle is on the second floor, beside the fridge.' },
  { title: 'network', text: '# Network\n\nPasswords expire after ninety days. Choose a long one.' },
  { title: 'board', text: '# Board\n\nDirectors get forty days of paid leave each year.' },
];
const rights = [{ documents: 'board', readers: ['user:ada@example.com'] }];
const question = 'How much holiday do workers have?';

beforeAll(async () => {
  model = await realEmbeddings();
  app = await testApp({ config: { outbound_private_hosts: [model.host] } });
  ada = await app.user('ada@example.com', { teams: { ml: 'admin' } });
  bob = await app.user('bob@example.com', { teams: { ml: 'viewer' } });
  const create = async (kind: 'model' | 'knowledge-base' | 'rag-index', name: string, config: object) =>
    await ada.client.call('registry.create', {
      params: { kind },
      body: { name, team: 'ml', config: config as Record<string, string> },
    });
  for (const name of ['embed', 'embed-newer'])
    await create('model', name, {
      provider: 'test',
      type: 'embedding',
      model: name,
      base_url: model.base_url,
      price_usd_per_million: { input: '1000' },
    });
  await create('knowledge-base', 'handbook', { documents, rights, language: 'en' });
  await create('rag-index', 'meaning', { embedding_model: 'models/embed', knowledge_bases: ['kb/handbook'], top_k: 2 });
  await refreshed(ada.client, 'knowledge.refresh', 'handbook');
}, 150_000);
afterAll(async () => {
  await app?.stop();
  await model?.stop();
});

const search = async (who: TestUser, query: string) =>
  await who.client.call('knowledge.search_index', { params: { name: 'meaning' }, body: { query } });
const paths = async (who: TestUser, query: string) => (await search(who, query)).passages.map(({ path }) => path);
const build = async () => {
  const { state, problem } = await refreshed(ada.client, 'knowledge.refresh_index', 'meaning');
  expect([state, problem]).toEqual(['done', null]);
};
const edit = async (version: string, config: object) =>
  await ada.client.call('registry.edit', {
    params: { kind: 'rag-index', name: 'meaning' },
    body: {
      version,
      config: { embedding_model: 'models/embed', knowledge_bases: ['kb/handbook'], top_k: 2, ...config },
    },
  });

test('a question finds what means the same in other words, and top_k passages at most', async () => {
  await build();
  const words = await bob.client.call('knowledge.search', { params: { name: 'handbook' }, body: { query: question } });
  expect(words.passages).toEqual([]);
  const found = await search(bob, question);
  expect(found.passages[0]?.path).toBe('time-off');
  expect(found.passages).toHaveLength(2);
  expect(found.notices).toEqual([]);
});

test('what others may not read changes no rank and no score', async () => {
  expect((await paths(ada, question)).toSorted()).toEqual(['board', 'time-off']);
  const before = await search(bob, question);
  expect(before.passages.map(({ path }) => path)).not.toContain('board');
  await ada.client.call('registry.edit', {
    params: { kind: 'knowledge-base', name: 'handbook' },
    body: { version: '1.0.1', config: { documents: documents.slice(0, 3), rights, language: 'en' } },
  });
  await refreshed(ada.client, 'knowledge.refresh', 'handbook');
  const without = await search(bob, question);
  expect(without.passages.map(({ path, score }) => [path, score])).toEqual(
    before.passages.map(({ path, score }) => [path, score]),
  );
});

test('a search that finds too many waiting is refused with 429 and a time, and the next one is not', async () => {
  const vectors = openVectorSearch({ most_waiting: 1 });
  const asset = await findAsset(app.db, 'rag-index', 'meaning', null);
  if (asset === undefined) throw new Error('there is no index');
  const { parts: found } = await requireSearched(app.db, asset);
  const [{ made_by } = { made_by: '' }] = await app.db.all<{ made_by: string }>(
    sql`select made_by from knowledge_chunk where made_by is not null`,
  );
  const asked = {
    asset,
    query: question,
    parts: found.map((part) => ({ ...part, sight: everything })),
    run: noRun,
    signal: new AbortController().signal,
    question: { vector: Float32Array.from({ length: 256 }, () => 1 / 16), made_by },
    limit: 5,
  };
  const parts = { db: app.db, vectors } as unknown as SearchParts; // a question with its vector asks no model
  const byVector = async () => (await byMeaning(parts, asked)).found.length;
  const answers = await Promise.allSettled([byVector(), byVector(), byVector(), byVector()]);
  expect(answers.filter(({ status }) => status === 'fulfilled')).toHaveLength(2);
  const refusals = answers.flatMap((one) => (one.status === 'rejected' ? [one.reason as Problem] : []));
  for (const one of refusals)
    expect(one).toMatchObject({
      status: 429,
      code: 'too_many_requests',
      retry_after_seconds: 1,
      hint: expect.any(String),
    });
  expect(await byVector()).toBe(3);
  await vectors.close();
});

test('only new chunks cost, each query costs, and all of it is on the index', async () => {
  const calls = async () =>
    await app.db.all<{ tags: string[] }>(sql`select tags from ledger where tags @> array['rag-indexes/meaning']`);
  // One for the chunks, and one for each of the queries before.
  await expect.poll(calls).toHaveLength(5);
  await refreshed(ada.client, 'knowledge.refresh', 'handbook');
  await search(bob, question);
  await expect.poll(calls).toHaveLength(6);
  const report = await ada.client.call('costs.report', { query: { by: 'tag', team: 'ml' } });
  expect(report.rows.map(({ of, calls: count }) => [of.tag, count])).toEqual(
    expect.arrayContaining([
      ['rag-indexes/meaning', 6],
      ['knowledge-bases/handbook', 1],
    ]),
  );
});

test('another model is built beside the old one, which answers until then', async () => {
  await edit('1.0.1', { embedding_model: 'models/embed-newer' });
  expect(await paths(bob, question)).toContain('time-off');
  await build();
  expect((await search(bob, question)).notices).toEqual([]);
  expect(await paths(bob, question)).toContain('time-off');
});

test('without money for vectors, words alone are searched, and the answer says so', async () => {
  await edit('1.0.2', { budget_usd: '0.000001' });
  await refreshed(ada.client, 'knowledge.refresh_index', 'meaning');
  const { notices, passages } = await search(bob, 'When do passwords expire?');
  expect(notices).toEqual([expect.stringContaining('searched words only')]);
  expect(passages[0]?.path).toBe('network');
});
