import { expect, test } from 'vitest';
import { cpuCount, memoryBytes, resourceLimits } from './resources.ts';

test.each([
  ['1', 1],
  ['0.5', 0.5],
  ['500m', 0.5],
  ['64', 64],
  ['0.04', undefined],
  ['65', undefined],
  ['-1', undefined],
  ['1e3', undefined],
  ['1 cpu', undefined],
  ['', undefined],
])('%j processors are %s', (text, count) => {
  expect(cpuCount(text)).toBe(count);
});

test.each([
  ['64Mi', 64 * 1024 ** 2],
  ['512Mi', 512 * 1024 ** 2],
  ['512MiB', 512 * 1024 ** 2],
  ['1.5Gi', 1.5 * 1024 ** 3],
  ['2GB', 2e9],
  ['100M', 1e8],
  ['1Ti', 1024 ** 4],
  ['2Ti', undefined],
  ['1Mi', undefined],
  ['512', undefined],
  ['512mb', undefined],
  ['9'.repeat(400), undefined],
])('%j of memory is %s', (text, bytes) => {
  expect(memoryBytes(text)).toBe(bytes);
});

test('an unset field gets the default', () => {
  expect(resourceLimits({})).toEqual({ cpu_count: 1, memory_bytes: 1024 ** 3 });
  expect(resourceLimits({ deploy: { resources: { cpu: '250m' } } })).toEqual({
    cpu_count: 0.25,
    memory_bytes: 1024 ** 3,
  });
});
