import { expect, test } from 'vitest';
import { instanceId, instanceName } from './instance-name.ts';

const revision_id = '0192f0c4-1111-7000-8000-000000000000';

test('the nth instance of a revision always has the same id and name, and no other instance has them', () => {
  expect(instanceName({ agent: 'greeter', revision_id, n: 2 })).toBe('svc-greeter-0192f0c4-2');
  const ids = [1, 2, 11].map((n) => instanceId({ revision_id, n }));
  expect(ids).toEqual([1, 2, 11].map((n) => instanceId({ revision_id, n })));
  expect(new Set(ids).size).toBe(3);
  for (const id of ids) expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-8[0-9a-f]{3}-[0-9a-f]{12}$/);
});
