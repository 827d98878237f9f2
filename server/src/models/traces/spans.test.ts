import { afterAll, beforeAll, expect, test } from 'vitest';
import { openDatabase, type Database } from '../../ground/database/database.ts';
import { sql } from '../../ground/database/sql.ts';
import { makeSpan } from '../../testing/stored/make-span.ts';
import { testDatabase, type TestDatabase } from '../../testing/test-database.ts';
import { openSpans, type SpansParts } from './spans.ts';

let database: TestDatabase;
let owner: Database;
/** With the service's role. */
let db: Database;
const gigabyte = 1024 ** 3;

beforeAll(async () => {
  database = await testDatabase();
  owner = database.db;
  db = openDatabase(database.app);
});
afterAll(async () => {
  await db?.close();
  await database?.close();
});

function open(more: Partial<SpansParts> = {}) {
  const faults: unknown[] = [];
  const sampling = { share: 1, slow_ms: 5000 };
  const onError = (error: unknown) => faults.push(error);
  const spans = openSpans({ db, keep_days: 2, max_bytes: gigabyte, sampling, freeBytes: undefined, onError, ...more });
  return { spans, faults };
}

const stored = async (trace_id: string) =>
  await owner.all<{ name: string; input: string }>(sql`select name, input from span where trace_id = ${trace_id}`);
const losses = async (): Promise<Record<string, number>> => {
  const rows = await owner.all<{ reason: string; spans: number }>(
    sql`select reason, sum(spans)::int as spans from span_loss group by reason`,
  );
  return Object.fromEntries(rows.map(({ reason, spans }) => [reason, spans]));
};
const days = async () =>
  (
    await owner.all<{ day: string }>(sql`
      select right(c.relname, 8) as day from pg_inherits i join pg_class c on c.oid = i.inhrelid
      where i.inhparent = 'span'::regclass order by 1`)
  ).map(({ day }) => day);

test('the service stores spans without the right to make tables, and a repeated span once', async () => {
  const { spans, faults } = open();
  const span = makeSpan({ name: 'once' });
  spans.add([span, span]);
  await spans.flush();
  spans.add([span]);
  await spans.close();
  expect(faults).toEqual([]);
  expect(await stored(span.trace_id)).toEqual([{ name: 'once', input: 'a question' }]);
  await expect(db.run(sql`create table mine (id integer)`)).rejects.toThrow(/permission denied/);
});

test('a span that PostgreSQL cannot store as it is does not fail the others', async () => {
  const { spans, faults } = open();
  const { trace_id } = makeSpan();
  spans.add([
    makeSpan({ trace_id, name: 'NUL \0', input: 'half \ud800', attributes: { 'a\0': ['b\0'] } }),
    makeSpan({ trace_id, name: 'model', model: 'a\0', provider: 'b\0' }),
    makeSpan({ trace_id, name: 'well' }),
    ...Array.from({ length: 3 }, () => makeSpan({ trace_id, name: 'ill', input_tokens: 1.5 })),
  ]);
  await spans.close();
  expect((await stored(trace_id)).map(({ name }) => name).toSorted()).toEqual(['NUL \ufffd', 'model', 'well']);
  expect(faults).toMatchObject([{ message: 'the database refuses 3 spans' }]);
  expect(await losses()).toMatchObject({ refused: 3 });
});

test('a long input is cut, and a full queue counts what it drops', async () => {
  const { spans } = open();
  const long = makeSpan({ input: 'x'.repeat(100_000) });
  spans.add([long]);
  await spans.flush();
  expect((await stored(long.trace_id))[0]?.input).toHaveLength(32_769);
  spans.add(Array.from({ length: 10_005 }, () => makeSpan()));
  await spans.close();
  expect(await losses()).toMatchObject({ queue_full: 5 });
});

test('a span of another day is counted, because no partition has it', async () => {
  const { spans, faults } = open();
  const week_us = 7 * 86_400e6;
  const old = makeSpan();
  spans.add([
    { ...old, started_us: old.started_us - week_us },
    { ...old, ended_us: old.ended_us + week_us },
  ]);
  await spans.close();
  expect(faults).toEqual([]);
  expect(await losses()).toMatchObject({ not_of_today: 2 });
});

test('old days are dropped, and the oldest ones while all spans take too much space', async () => {
  const before = await days();
  expect(before).toHaveLength(4);
  const newest = before.at(-1) ?? '';
  await owner.run(
    sql`create or replace function clock_now() returns timestamptz language sql volatile as 'select clock_timestamp() + interval ''2 days'''`,
  );
  const later = open();
  later.spans.add([makeSpan()]);
  await later.spans.flush();
  // Two days before the moved clock is the present day.
  expect(await days()).toEqual([...before.slice(1), expect.any(String), expect.any(String)]);
  const small = open({ max_bytes: 1 });
  small.spans.add([makeSpan({ trace_id: 'f'.repeat(32) })]);
  await small.spans.close();
  expect(await days()).toEqual([newest > '' ? before[2] : '', newest, expect.any(String), expect.any(String)]);
  // What is left is more than the limit, so nothing is stored.
  expect(await stored('f'.repeat(32))).toEqual([]);
  expect(await losses()).toMatchObject({ storage_full: 1 });
  await later.spans.close();
  await owner.run(
    sql`create or replace function clock_now() returns timestamptz language sql volatile as 'select clock_timestamp()'`,
  );
});

test('a sample keeps failed and slow traces whole, its share of the others, and each trace for five minutes', async () => {
  const minutes_us = 60e6;
  const ended_us = Date.now() * 1000 - 10 * minutes_us;
  const low = '0'.repeat(8);
  const high = 'f'.repeat(8);
  const traces = {
    ordinary: { trace_id: `1`.repeat(24) + high },
    'in the share': { trace_id: `2`.repeat(24) + low },
    failed: { trace_id: `3`.repeat(24) + high, status: 'error' },
    slow: { trace_id: `4`.repeat(24) + high, started_us: ended_us - 6_000_000 },
    recent: { trace_id: `5`.repeat(24) + high, ended_us: ended_us + 9 * minutes_us },
    'without an entry': { trace_id: `6`.repeat(24) + high, source: 'agent' },
  } as const;
  const { spans, faults } = open();
  for (const [name, trace] of Object.entries(traces)) {
    const started_us = ended_us - 1_000_000 + (name === 'recent' ? 9 * minutes_us : 0);
    const span = makeSpan({ name, started_us, ended_us, ...trace });
    spans.add([span, makeSpan({ ...span, span_id: makeSpan().span_id, source: 'agent', status: 'ok' })]);
  }
  await spans.close();
  const sampled = open({ sampling: { share: 0.5, slow_ms: 5000 } });
  // The partitions are looked at with the first span.
  sampled.spans.add([makeSpan()]);
  await sampled.spans.close();
  expect([faults, sampled.faults]).toEqual([[], []]);
  const kept = await owner.all<{ name: string; spans: number }>(
    sql`select name, count(*)::int as spans from span where name = any(${Object.keys(traces)}) group by name`,
  );
  expect(Object.fromEntries(kept.map((row) => [row.name, row.spans]))).toEqual({
    'in the share': 2,
    failed: 2,
    slow: 2,
    recent: 2,
    'without an entry': 2,
  });
});

test('a disk with little free space gets no spans', async () => {
  const { spans } = open({ freeBytes: async () => await Promise.resolve(gigabyte / 2) });
  const span = makeSpan();
  spans.add([span]);
  await spans.close();
  expect(await stored(span.trace_id)).toEqual([]);
  expect(await losses()).toMatchObject({ storage_full: 2 });
});
