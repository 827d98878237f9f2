import { expect, test } from 'vitest';
import type { Covered } from '@gantry/contract/agents/target-plan.ts';
import { digestOfForm, notCovered } from './covers.ts';

const approved: Covered = {
  kinds: ['secret', 'service'],
  size: { cpu: '256', memory: '512' },
  permissions: ['role agents'],
  reach: ['in: door', 'out: api.example.com:443'],
  secrets: ['TOKEN'],
};
const open = { ...approved, reach: ['out: *'] };

test.each<[string, Covered | null, Covered | null | 'what runs', string[]]>([
  ['the same form', approved, structuredClone(approved), []],
  ['fewer permissions', approved, { ...approved, permissions: [] }, []],
  ['less reach', approved, { ...approved, reach: ['in: door'] }, []],
  [
    'other kinds and another size alone',
    approved,
    { ...approved, kinds: ['job'], size: { cpu: '512', memory: '1' } },
    [],
  ],
  ['a destination where all were approved', open, approved, ['in: door']],
  ['a permission more', approved, { ...approved, permissions: ['role agents', 'role admin'] }, ['role admin']],
  ['another permission', approved, { ...approved, permissions: ['role admin'] }, ['role admin']],
  ['a destination more', approved, { ...approved, reach: [...approved.reach, 'out: b.com:443'] }, ['out: b.com:443']],
  ['all destinations', approved, { ...approved, reach: ['in: door', 'out: *'] }, ['out: *']],
  ['all callers', approved, { ...approved, reach: ['in: *'] }, ['in: *']],
  ['a secret more', approved, { ...approved, secrets: ['KEY', 'TOKEN'] }, ['the secret KEY']],
  [
    'other kinds with a permission more',
    approved,
    { ...approved, kinds: [], permissions: ['role admin'] },
    ['role admin'],
  ],
  ['an approval without a form', null, approved, []],
  ['a target that says nothing now', approved, null, ['what its target does not say']],
  ['neither has a form', null, null, []],
  ['what runs', approved, 'what runs', []],
])('T573: an approval covers no wider permission and no wider reach: %s', (_, form, now, beyond) => {
  expect(notCovered(form, now)).toEqual(beyond);
});

test('the digest of a form does not depend on the order of its fields', () => {
  const { secrets, ...rest } = approved;
  expect(digestOfForm({ secrets, ...rest })).toBe(digestOfForm(approved));
  expect(digestOfForm({ ...approved, secrets: [] })).not.toBe(digestOfForm(approved));
  expect(digestOfForm(null)).toBeNull();
});
