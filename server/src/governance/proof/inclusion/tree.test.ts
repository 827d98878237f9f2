import { createHash } from 'node:crypto';
import { expect, test } from 'vitest';
import { openTree } from '../../../../../verifier/verify.mjs';
import { pathTo } from './tree-path.ts';

const leaf = (n: number) => createHash('sha256').update(`leaf ${n}`).digest('hex');
const leaves = (from: number, to: number) => Array.from({ length: to - from }, (_, n) => leaf(from + n));

/** RFC 6962, 2.1, with leaves that are already hashed. */
function merkleTreeHash(of: string[]): string {
  if (of.length === 0) return createHash('sha256').digest('hex');
  if (of.length === 1) return of[0] ?? '';
  let k = 1;
  while (k * 2 < of.length) k *= 2;
  const [left, right] = [merkleTreeHash(of.slice(0, k)), merkleTreeHash(of.slice(k))];
  return createHash('sha256')
    .update(Buffer.concat([Buffer.of(1), Buffer.from(left, 'hex'), Buffer.from(right, 'hex')]))
    .digest('hex');
}

/** RFC 6962, 2.1.1. */
function auditPath(m: number, of: string[]): string[] {
  if (of.length === 1) return [];
  let k = 1;
  while (k * 2 < of.length) k *= 2;
  return m < k
    ? [...auditPath(m, of.slice(0, k)), merkleTreeHash(of.slice(k))]
    : [...auditPath(m - k, of.slice(k)), merkleTreeHash(of.slice(0, k))];
}

test('a tree that grows from its peaks has the root of all its leaves, from every size to every size', () => {
  for (let size = 0; size <= 40; size++) {
    const expected = merkleTreeHash(leaves(0, size));
    for (let kept = 0; kept <= size; kept++) {
      const before = openTree();
      for (const each of leaves(0, kept)) before.add(each);
      const tree = openTree(kept, before.peaks());
      for (const each of leaves(kept, size)) tree.add(each);
      expect(tree.root()).toBe(expected);
    }
  }
});

test('a path from peaks and later leaves equals the path from all leaves', () => {
  for (let size = 1; size <= 21; size++)
    for (let kept = 0; kept < size; kept++) {
      const before = openTree();
      for (const each of leaves(0, kept)) before.add(each);
      const known = { size: kept, peaks: before.peaks(), leaves: leaves(kept, size) };
      for (let index = kept; index < size; index++)
        expect(pathTo(index, size, known)).toEqual(auditPath(index, leaves(0, size)));
    }
});

test('peaks of another size are refused', () => {
  expect(() => openTree(3, [leaf(1)])).toThrow('a tree of 3 leaves has 2 peaks');
});
