import { expect, test } from 'vitest';
import { failureSections } from './failure-modes.ts';
import { testNames } from './test-names.ts';

const failures = (await failureSections()).flatMap((section) => section.failures);

test('every failure says what is seen, what the service does, what is never lost, and has a test', () => {
  expect(failures.map(({ number }) => number)).toEqual(failures.map((_, index) => `F${index + 1}`));
  expect(
    failures.filter(({ seen, done, never, tests }) => [seen, done, never].includes('') || tests.length === 0),
  ).toEqual([]);
});

test.each(failures.flatMap(({ number, tests }) => tests.map(({ file, name }) => [number, file, name] as const)))(
  '%s: %s has the test "%s"',
  async (_, file, name) => {
    expect(await testNames(file)).toContain(name);
  },
);
