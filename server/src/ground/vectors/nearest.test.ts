import { setImmediate } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { nearest } from './nearest.ts';
import { bytesOf, unitVector, vectorsIn } from './vectors.ts';

const unit = (...values: number[]) => unitVector(values) ?? new Float32Array();
const thing = (name: string, ...vectors: Float32Array[]) => ({ name, vectors });

test('the nearest come first, each by its nearest vector, and the score is the cosine', async () => {
  const among = [
    thing('opposite', unit(-2, 0)),
    thing('across', unit(0, 5)),
    thing('two', unit(-1, 0), unit(3, 0)),
    thing('near', unit(1, 1)),
    thing('none'),
    thing('of another model', unit(1, 0, 0)),
  ];
  const found = await nearest(unit(7, 0), among, { most: 10 });
  expect(found.map(({ thing: { name }, score }) => [name, Number(score.toFixed(2))])).toEqual([
    ['two', 1],
    ['near', 0.71],
    ['across', 0],
    ['opposite', -1],
  ]);
  expect(await nearest(unit(7, 0), among, { most: 1 })).toHaveLength(1);
});

test('the search is exact: it agrees with the definition on any vectors', async () => {
  const random = () => Array.from({ length: 64 }, () => Math.random() - 0.5);
  const among = Array.from({ length: 300 }, (_, n) => ({ n, values: random() }));
  const question = random();
  const by_definition = among
    .map(({ n, values }) => {
      const product = values.reduce((sum, value, at) => sum + value * (question[at] ?? 0), 0);
      return { n, score: product / Math.hypot(...values) / Math.hypot(...question) };
    })
    .toSorted((a, b) => b.score - a.score);
  const found = await nearest(
    unit(...question),
    among.map(({ n, values }) => ({ n, vectors: [unit(...values)] })),
    { most: 20 },
  );
  expect(found.map(({ thing: { n } }) => n)).toEqual(by_definition.slice(0, 20).map(({ n }) => n));
});

test('other work goes on during a search in 10,000 vectors', async () => {
  const vector = unit(...Array.from({ length: 1536 }, (_, n) => n + 1));
  let isDone = false;
  const searching = nearest(
    vector,
    Array.from({ length: 10_000 }, () => ({ vectors: [vector] })),
    { most: 10 },
  ).finally(() => (isDone = true));
  let turns = 0;
  for (; !isDone; turns++) await setImmediate();
  await searching;
  expect(turns).toBeGreaterThan(2);
});

test('vectors come back from their bytes, and other bytes are refused', () => {
  const vectors = [unit(1, 2, 3), unit(4, 5, 6)];
  const bytes = bytesOf(vectors);
  expect(bytes).toHaveLength(24);
  // At an address that fits no 32-bit number.
  expect(vectorsIn(Buffer.concat([Buffer.from('x'), bytes]).subarray(1), 3)).toEqual(vectors);
  expect(vectorsIn(Buffer.alloc(0), 3)).toEqual([]);
  expect(() => vectorsIn(bytes, 5)).toThrow(RangeError);
  expect(() => vectorsIn(bytes, 0)).toThrow(RangeError);
});

test.each([[[]], [[0, 0]], [[1, Number.NaN]], [[Infinity, 1]]])('%j is no direction', (values) => {
  expect(unitVector(values)).toBeUndefined();
});
