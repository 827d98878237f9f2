import { afterAll, beforeAll, expect, test } from 'vitest';
import type { z } from 'zod';
import type { json } from '@gantry/contract/wire.ts';
import { sql } from '../../ground/database/sql.ts';
import { refreshed } from '../../testing/knowledge/knowledge-stage.ts';
import { testApp, type TestApp, type TestUser } from '../../testing/test-app.ts';

type JsonValue = z.output<typeof json>;

let app: TestApp;
let ada: TestUser;
let bob: TestUser;

const [leave, salaries, kitchen] = [
  {
    title: 'hr/leave',
    text: '# Leave\n\nEverybody has 30 days of leave.\n\n## Sickness\n\nA doctor’s note is needed after three days.',
  },
  { title: 'hr/salaries', text: '# Salaries\n\nThe director earns 200,000 a year, and has 40 days of leave.' },
  { title: 'kitchen', text: '# Kitchen\n\nThe kettle is on the second floor. Tea is free.' },
];
const documents = [leave, salaries, kitchen];
const rights = [{ documents: 'hr/salaries', readers: ['user:ada@example.com'] }];

beforeAll(async () => {
  app = await testApp();
  ada = await app.user('ada@example.com', { teams: { ml: 'admin' } });
  bob = await app.user('bob@example.com', { teams: { ml: 'viewer' } });
});
afterAll(async () => await app?.stop());

const create = async (name: string, config: Record<string, JsonValue>) =>
  await ada.client.call('registry.create', {
    params: { kind: 'knowledge-base' },
    body: { name, team: 'ml', config },
  });
let patch = 0;
const edit = async (name: string, config: Record<string, JsonValue>) =>
  await ada.client.call('registry.edit', {
    params: { kind: 'knowledge-base', name },
    body: { config, version: `1.0.${++patch}` },
  });
const found = async (who: TestUser, name: string, query: string) => {
  const { passages } = await who.client.call('knowledge.search', { params: { name }, body: { query } });
  return passages.map(({ path }) => path);
};

test('a base is refreshed and searched, and a citation means exact bytes', async () => {
  await create('handbook', { documents, language: 'en', rights });
  const before = ada.client.call('knowledge.search', { params: { name: 'handbook' }, body: { query: 'tea' } });
  await expect(before).rejects.toMatchObject({ code: 'nothing_serves', hint: 'svc kb refresh handbook' });
  const made = await refreshed(ada.client, 'knowledge.refresh', 'handbook');
  expect(made, JSON.stringify(made.problem)).toMatchObject({
    state: 'done',
    snapshot: 1,
    serves: true,
  });
  const { passages } = await bob.client.call('knowledge.search', {
    params: { name: 'handbook' },
    body: { query: 'When do I need a note of my doctor?' },
  });
  const [first] = passages;
  expect(first).toMatchObject({ path: 'hr/leave', headings: ['Leave', 'Sickness'], snapshot: 1 });
  const { document = '', start = 0, end = 0, text } = first ?? {};
  const cited = await bob.client.call('knowledge.text', {
    params: { name: 'handbook', document },
    query: { start, end },
  });
  expect(cited.text).toBe(text);
  expect(text).toContain('doctor’s note');
});

test('a document with readers is found by those alone, and changes nothing that others see', async () => {
  expect(await found(ada, 'handbook', 'days of leave')).toContain('hr/salaries');
  expect(new Set(await found(bob, 'handbook', 'days of leave'))).toEqual(new Set(['hr/leave']));
  const { listed } = await bob.client.call('knowledge.snapshot', { params: { name: 'handbook', number: 1 } });
  expect(listed.map(({ path }) => path)).toEqual(['hr/leave', 'kitchen']);
  const mine = await ada.client.call('knowledge.snapshot', { params: { name: 'handbook', number: 1 } });
  const salaries = mine.listed.find(({ path }) => path === 'hr/salaries')?.id ?? '';
  await expect(
    bob.client.call('knowledge.text', { params: { name: 'handbook', document: salaries } }),
  ).rejects.toMatchObject({ code: 'not_found' });
});

test('a right that is taken away in the config acts on the next search; a given one waits for the refresh', async () => {
  await edit('handbook', {
    documents,
    language: 'en',
    rights: [{ documents: 'kitchen', readers: ['user:bob@example.com'] }],
  });
  expect(await found(ada, 'handbook', 'tea')).toEqual([]);
  expect(await found(bob, 'handbook', 'tea')).toEqual(['kitchen']);
  expect(await found(bob, 'handbook', 'director')).toEqual([]);
  await refreshed(ada.client, 'knowledge.refresh', 'handbook');
  expect(await found(bob, 'handbook', 'director')).toEqual(['hr/salaries']);
});

test('only what changed is read again, and the difference is listed', async () => {
  await edit('handbook', {
    documents: [leave, { ...salaries, text: 'Nobody earns anything.' }, { title: 'new', text: 'A new page.' }],
  });
  await refreshed(ada.client, 'knowledge.refresh', 'handbook');
  const shown = await bob.client.call('knowledge.snapshot', { params: { name: 'handbook', number: 3 } });
  expect(shown).toMatchObject({ added: 1, changed: 1, removed: 1, gone: ['kitchen'], serves: true });
  expect(shown.listed.map(({ path, change }) => [path, change])).toEqual([
    ['hr/leave', 'same'],
    ['hr/salaries', 'changed'],
    ['new', 'added'],
  ]);
});

test('an older snapshot serves again, and the log says so', async () => {
  await ada.client.call('knowledge.serve', { params: { name: 'handbook', number: 2 } });
  expect(await found(bob, 'handbook', 'tea')).toEqual(['kitchen']);
  const events = await app.db.all<{ event: string }>(
    sql`select body::jsonb ->> 'event' as event from audit.entry where body like '%"knowledge.%' order by seq`,
  );
  expect(events.map(({ event }) => event)).toEqual(Array.from({ length: 4 }, () => 'knowledge.served'));
});

test('where a base asks for it, another admin lets a snapshot serve', async () => {
  const carl = await app.user('carl@example.com', { teams: { ml: 'admin' } });
  await create('rules', { documents: [{ title: 'one', text: 'The first rule.' }], approve: true });
  expect(await refreshed(ada.client, 'knowledge.refresh', 'rules')).toMatchObject({ snapshot: 1, serves: false });
  const serve = { params: { name: 'rules', number: 1 } };
  await expect(ada.client.call('knowledge.serve', serve)).rejects.toMatchObject({ code: 'own_request' });
  await expect(bob.client.call('knowledge.serve', serve)).rejects.toMatchObject({ code: 'forbidden' });
  expect(await carl.client.call('knowledge.serve', serve)).toMatchObject({ serves: true });
  expect(await found(bob, 'rules', 'rule')).toEqual(['one']);
});

test('who may change a base sees why: each rank, and what the rights of somebody take out, without its text', async () => {
  await create('why', { documents, language: 'en', rights });
  await refreshed(ada.client, 'knowledge.refresh', 'why');
  const ask = { params: { name: 'why' }, body: { query: 'days of leave', for: 'user:bob@example.com' } };
  const { passages, taken_out } = await ada.client.call('knowledge.why', ask);
  expect(passages[0]).toMatchObject({ path: 'hr/leave', words: { rank: 1 } });
  expect(new Set(passages.map(({ path }) => path))).toEqual(new Set(['hr/leave']));
  expect(taken_out.map(({ path }) => path)).toEqual(['hr/salaries']);
  expect(JSON.stringify(taken_out)).not.toContain('director');
  await expect(bob.client.call('knowledge.why', ask)).rejects.toMatchObject({ code: 'forbidden' });
});

test('the questions of a base measure its snapshots, and too small a recall stops a refresh', async () => {
  const questions = [
    { question: 'How many days of leave are there?', expects: ['hr/leave'] },
    { question: 'Where is the kettle?', expects: ['kitchen'] },
  ];
  await create('measured', { documents, language: 'en', questions, min_recall: 0.9 });
  expect(await refreshed(ada.client, 'knowledge.refresh', 'measured')).toMatchObject({ state: 'done', snapshot: 1 });
  const test = async () => await ada.client.call('knowledge.test', { params: { name: 'measured' }, body: {} });
  expect(await test()).toMatchObject({ tested: { recall: 1, mrr: 1, serves: true }, serving: null });
  await edit('measured', { documents: documents.slice(0, 2), language: 'en', questions, min_recall: 0.9 });
  const stopped = await refreshed(ada.client, 'knowledge.refresh', 'measured');
  expect(stopped).toMatchObject({ state: 'failed', problem: { code: 'recall_too_low' } });
  expect(JSON.stringify(stopped.problem)).toContain('Where is the kettle?');
  expect(await found(bob, 'measured', 'kettle')).toEqual(['kitchen']);
  await edit('measured', { documents: documents.slice(0, 2), language: 'en', questions });
  await refreshed(ada.client, 'knowledge.refresh', 'measured');
  expect((await test()).tested).toMatchObject({ snapshot: 2, recall: 0.5 });
});

test('counts of a snapshot that include what is hidden are for those who may change the base', async () => {
  const [mine] = (await ada.client.call('knowledge.snapshots', { params: { name: 'why' } })).items;
  const [theirs] = (await bob.client.call('knowledge.snapshots', { params: { name: 'why' } })).items;
  expect([mine?.documents, theirs?.documents]).toEqual([3, null]);
  expect(await bob.client.call('knowledge.snapshot', { params: { name: 'why', number: 1 } })).toMatchObject({
    documents: 2,
    added: 2,
  });
});

test('an erased document leaves every snapshot, and the same content does not come back; changed content does', async () => {
  await create('erased', { documents, language: 'en' });
  await refreshed(ada.client, 'knowledge.refresh', 'erased');
  const erase = { params: { name: 'erased' }, body: { path: 'hr/salaries' } };
  await expect(bob.client.call('knowledge.erase', erase)).rejects.toMatchObject({ code: 'forbidden' });
  expect(await ada.client.call('knowledge.erase', erase)).toMatchObject({ snapshots: [1], path: 'hr/salaries' });
  expect(await found(ada, 'erased', 'director')).toEqual([]);
  expect(
    await app.db.all(sql`select sha256 from knowledge_blob where convert_from(bytes, 'UTF8') like '%director%'
    and base_id = (select id from asset where name = 'erased')`),
  ).toEqual([]);
  await refreshed(ada.client, 'knowledge.refresh', 'erased');
  const shown = await ada.client.call('knowledge.snapshot', { params: { name: 'erased', number: 2 } });
  expect(shown.listed.map(({ path }) => path)).toEqual(['hr/leave', 'kitchen']);
  expect(shown.unreadable).toEqual([{ path: 'hr/salaries', problem: 'its content was erased: svc kb erase' }]);
  await edit('erased', { documents: [{ title: 'hr/salaries', text: 'Nobody knows what the director earns.' }] });
  await refreshed(ada.client, 'knowledge.refresh', 'erased');
  expect(await found(ada, 'erased', 'director')).toEqual(['hr/salaries']);
  const entry = await app.db.one<{ body: string }>(
    sql`select body from audit.entry where body like '%"knowledge.erased"%'`,
  );
  expect(entry?.body).not.toContain('salaries');
});

test('a row far down in a long table is found by the words of its head, and is cited with it', async () => {
  const rows = Array.from({ length: 80 }, (_, n) => `| Office ${n} | +49 30 ${1000 + n} |`);
  const text = ['# Offices', '', '| place | telephone |', '| --- | --- |', ...rows].join('\n');
  await create('offices', { documents: [{ title: 'offices', text }], language: 'en' });
  await refreshed(ada.client, 'knowledge.refresh', 'offices');
  const { passages } = await bob.client.call('knowledge.search', {
    params: { name: 'offices' },
    body: { query: 'telephone 1079' },
  });
  const [first] = passages;
  expect(first).toMatchObject({ headings: ['Offices', 'place | telephone'] });
  expect(first?.text).toMatch(/^\| Office \d+ /);
  expect(Buffer.from(text).subarray(first?.start, first?.end).toString()).toBe(first?.text);
});
