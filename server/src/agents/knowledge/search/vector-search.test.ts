import { Worker } from 'node:worker_threads';
import fc from 'fast-check';
import { afterAll, expect, test, vi } from 'vitest';
import { places } from '../../../ground/places-of-files.ts';
import { unitVector } from '../../../ground/vectors/vectors.ts';
import type { StoredVectors } from './vector-index.ts';
import { openVectorSearch, type VectorSearch } from './vector-search.ts';

const opened: VectorSearch[] = [];
const open = (...settings: Parameters<typeof openVectorSearch>) => {
  const search = openVectorSearch(...settings);
  opened.push(search);
  return search;
};
afterAll(async () => {
  for (const search of opened) await search.close();
});

const search = open();

const unit = (...values: number[]) => unitVector(values) ?? new Float32Array(values.length).fill(NaN);
/** Of length 1 each. */
const random = (count: number, dimensions = count) =>
  Float32Array.from(
    Array.from({ length: count / dimensions }, () => [
      ...unit(...Array.from({ length: dimensions }, () => Math.random() - 0.5)),
    ]).flat(),
  );
const stored = (vectors: Float32Array, dimensions: number) => ({
  ids: Array.from({ length: vectors.length / dimensions }, (_, n) => `c${n}`),
  groups: Array.from({ length: vectors.length / dimensions }, (_, n) => `d${n}`),
  vectors,
  dimensions,
});
let indexes = 0;
const indexOf = (vectors: Float32Array, dimensions: number) => ({
  id: `index-${indexes++}`,
  load: vi.fn<() => Promise<StoredVectors>>(async () => await Promise.resolve(stored(vectors, dimensions))),
});
const all = { hidden: [], limit: 10 };

function cosine(one: Float32Array, other: Float32Array): number {
  const product = one.reduce((sum, value, n) => sum + value * (other[n] ?? 0), 0);
  return product / Math.hypot(...one) / Math.hypot(...other);
}

test('the nearest come first with their cosines; what has no direction is not found', async () => {
  const vectors = [unit(-2, 0), unit(0, 5), unit(3, 3), unit(0, 0), unit(9, 0), unit(NaN, 1)];
  const index = indexOf(Float32Array.from(vectors.flatMap((one) => [...one])), 2);
  const found = await search.nearest(index, unit(7, 0), all);
  expect(found.map(({ id, score }) => [id, Number(score.toFixed(2))])).toEqual([
    ['c4', 1],
    ['c2', 0.71],
    ['c1', 0],
    ['c0', -1],
  ]);
  expect(await search.nearest(index, unit(0, 0), all)).toEqual([]);
});

test('it is exact: it finds what the definition finds, among the visible ones, for any sizes', async () => {
  const sizes = fc.record({ count: fc.nat(300), dimensions: fc.integer({ min: 1, max: 70 }), limit: fc.nat(20) });
  await fc.assert(
    fc.asyncProperty(sizes, async ({ count, dimensions, limit }) => {
      const vectors = random(count * dimensions, dimensions);
      const query = random(dimensions);
      const visible = Uint8Array.from({ length: count }, () => Number(Math.random() < 0.5));
      const hidden = [...visible.entries()].flatMap(([n, isVisible]) => (isVisible === 1 ? [] : [`d${n}`]));
      const found = await search.nearest(indexOf(vectors, dimensions), query, { hidden, limit });
      const scored = [...visible.entries()]
        .filter(([, isVisible]) => isVisible === 1)
        .map(([n]) => cosine(vectors.subarray(n * dimensions, (n + 1) * dimensions), query))
        .toSorted((a, b) => b - a)
        .slice(0, limit);
      expect(found).toHaveLength(scored.length);
      for (const [n, { id, score }] of found.entries()) {
        expect(score).toBeCloseTo(scored[n] ?? NaN, 5);
        expect(visible[Number(id.slice(1))]).toBe(1);
      }
    }),
    { numRuns: 100 },
  );
});

test('hidden vectors change no rank and no score of the others', async () => {
  const vectors = random(400 * 8, 8);
  const query = vectors.slice(0, 8);
  const hidden = Array.from({ length: 200 }, (_, n) => `d${2 * n}`);
  const shown = indexOf(Float32Array.from([...vectors].filter((_, n) => Math.floor(n / 8) % 2 === 1)), 8);
  const among_hidden = await search.nearest(indexOf(vectors, 8), query, { hidden, limit: 50 });
  const alone = await search.nearest(shown, query, { hidden: [], limit: 50 });
  expect(among_hidden.map(({ score }) => score)).toEqual(alone.map(({ score }) => score));
  expect(among_hidden.map(({ id }) => id)).toEqual(alone.map(({ id }) => `c${Number(id.slice(1)) * 2 + 1}`));
});

test('a question of another size is an error, not an answer', async () => {
  const index = indexOf(random(12, 4), 4);
  await expect(search.nearest(index, random(3), all)).rejects.toThrow('A question of 3 numbers fits no index of 4.');
  const torn = { id: 'torn', load: async () => await Promise.resolve({ ...stored(random(8, 4), 4), ids: ['one'] }) };
  await expect(search.nearest(torn, random(4), all)).rejects.toThrow('8 numbers are no 1 vectors of 4');
});

test('an index is loaded once for all who wait, again after a failure, and goes when it is not used', async () => {
  const small = open({ unused_ms: 50 });
  const index = indexOf(random(40, 4), 4);
  index.load.mockRejectedValueOnce(new Error('the database is away'));
  await expect(small.nearest(index, random(4), all)).rejects.toThrow('the database is away');
  await Promise.all(Array.from({ length: 5 }, async () => await small.nearest(index, random(4), all)));
  expect(index.load).toHaveBeenCalledTimes(2);
  await vi.waitFor(() => expect(small.kept()).toEqual({ indexes: 0, bytes: 0 }));
});

test('what is kept has a limit in bytes: the one not searched for longest goes, and one that is larger is kept alone', async () => {
  const small = open({ most_bytes: 2 * 40 * 4 });
  const small_one = () => indexOf(random(40, 4), 4);
  const [first, second, third, large] = [small_one(), small_one(), small_one(), indexOf(random(400, 4), 4)];
  for (const index of [first, second, first, third, first])
    await small.nearest(index, random(4), { hidden: [], limit: 1 });
  expect(small.kept()).toEqual({ indexes: 2, bytes: 320 });
  expect([first, second, third].map((index) => index.load.mock.calls.length)).toEqual([1, 1, 1]);
  await small.nearest(large, random(4), all);
  expect(small.kept()).toEqual({ indexes: 1, bytes: 320 });
});

test('a thread that dies during a search, or before it, is replaced; one that dies again is an error that says so', async () => {
  const threads: Worker[] = [];
  let dying = 0;
  const startThread = () => {
    const program = dying-- > 0 ? endsAtAQuestion : places.vector_worker;
    const thread = new Worker(program, { eval: program === endsAtAQuestion });
    threads.push(thread);
    return thread;
  };
  const mortal = open({ startThread });
  const index = indexOf(random(40, 4), 4);
  dying = 1;
  expect(await mortal.nearest(index, random(4), all)).toHaveLength(10);
  expect(threads).toHaveLength(2);
  await threads[1]?.terminate();
  expect(await mortal.nearest(index, random(4), all)).toHaveLength(10);
  await threads[2]?.terminate();
  dying = 2;
  await expect(mortal.nearest(index, random(4), all)).rejects.toThrow('ended without an answer');
  expect(await mortal.nearest(index, random(4), all)).toHaveLength(10);
});

const endsAtAQuestion = `
  const { parentPort } = require('node:worker_threads');
  parentPort.on('message', () => process.exit(1));
  parentPort.postMessage('ready');
`;
