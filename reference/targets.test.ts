import { targetKinds } from '@gantry/contract/assets/targets.ts';
import { expect, test } from 'vitest';
import { targetFeatures, ways } from './targets.ts';
import { testNames } from './test-names.ts';

const features = await targetFeatures();
const tests = features.flatMap(({ name: feature, cells }) =>
  [...cells.values()].flatMap((cell) => cell.tests.map((one) => ({ feature, kind: cell.kind, ...one }))),
);

test.each(features.map(({ name, cells }) => [name, cells] as const))(
  '%s: each kind of target has a test, or the reason why it is not there',
  (_, cells) => {
    expect([...cells.keys()].toSorted()).toEqual(['local', ...targetKinds].toSorted());
    for (const { tests: proofs, missing } of cells.values()) expect(proofs.length + missing.length).toBeGreaterThan(0);
  },
);

test.each(tests.map(({ feature, kind, way, file, name }) => [feature, kind, file, name, way] as const))(
  '%s, %s: %s has the test "%s"',
  async (_feature, _kind, file, name, way) => {
    expect(ways).toContain(way);
    expect(await testNames(file)).toContain(name);
  },
);
