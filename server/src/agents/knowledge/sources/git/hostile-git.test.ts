// What no program of Git sends.
import { knowledgeBase } from '@gantry/project/asset-config/knowledge-base.ts';
import { expect, test } from 'vitest';
import { answeringServer } from '../../../../testing/servers/answering-server.ts';
import {
  blobOf,
  bombOf,
  commitOf,
  idOf,
  madeGitServer,
  printObject,
  treeOf,
  type Made,
} from '../../../../testing/servers/made-git-server.ts';
import { contentsOf, sourceContext } from '../../../../testing/sources/source-context.ts';
import { documentsOf } from '../documents-of.ts';

const mb = 1024 * 1024;

const contents = async (repository: string, more: object = {}) =>
  await contentsOf(
    documentsOf(
      knowledgeBase.parse({ git: { repository, ...more } }),
      sourceContext({ private_hosts: [new URL(repository).host] }),
    ),
  );

const file = (name: string, blob: Made) => ({ mode: '100644', name, id: idOf(blob) });
const folder = (name: string, tree: Made) => ({ mode: '40000', name, id: idOf(tree) });

/** A tree that has the one before it twice: its files double with each. */
function doubledTree(depth: number): Made[] {
  const text = blobOf('x');
  const trees = [treeOf([file('f.md', text)])];
  for (let n = 0; n < depth; n++) {
    const below = trees[0] as Made; // there is always one
    trees.unshift(treeOf([folder('a', below), folder('b', below)]));
  }
  return [...trees, text];
}

function deltaBomb(): Made[] {
  const base = blobOf(Buffer.alloc(16 * mb));
  const number = (value: number) => {
    const bytes = [];
    for (let rest = value; ; rest = Math.floor(rest / 128)) {
      bytes.push((rest % 128) | (rest >= 128 ? 0x80 : 0));
      if (rest < 128) return Buffer.from(bytes);
    }
  };
  // Each copies 16 MB - 1 from the start.
  const copies = 110;
  const copy = Buffer.from([0x80 | 0x70, 0xff, 0xff, 0xff]);
  const content = Buffer.concat([
    number(16 * mb),
    number((16 * mb - 1) * copies),
    ...Array.from({ length: copies }, () => copy),
  ]);
  return [base, { type: 'ofs_delta', content, back: printObject(base).length }];
}

const withCommit = ([tree, ...others]: readonly Made[]): Made[] => {
  if (tree === undefined) throw new Error('a tree comes first');
  return [commitOf(tree), tree, ...others];
};

test.each<[string, () => Made[], string]>([
  [
    'an object that unpacks without an end',
    () => withCommit([treeOf([]), { type: 'blob', content: Buffer.alloc(10), packed: bombOf(40) }]),
    'it needs more than 1024 MB of memory to be unpacked',
  ],
  [
    'a delta that copies its base again and again',
    () => withCommit([treeOf([]), ...deltaBomb()]),
    'it needs more than 1024 MB of memory to be unpacked',
  ],
  ['a tree that doubles', () => withCommit(doubledTree(20)), 'it has more than 100000 files and folders'],
  [
    'folders without an end',
    () => {
      let tree = treeOf([]);
      const all = [tree];
      for (let n = 0; n < 70; n++) all.unshift((tree = treeOf([folder('a', tree)])));
      return withCommit(all);
    },
    'its folders are more than 60 deep',
  ],
  [
    'a commit without its tree',
    () => [commitOf(treeOf([file('a.md', blobOf('a'))]))],
    'what it sends is no whole pack of Git',
  ],
])('T546: %s costs a process of its own, and names its reason', async (_, objects, said) => {
  const url = await madeGitServer(objects());
  const before = process.memoryUsage().rss;
  await expect(contents(url)).rejects.toMatchObject({
    code: 'source_failed',
    detail: `The Git repository ${url} cannot be listed: ${said}.`,
  });
  expect(process.memoryUsage().rss - before).toBeLessThan(500 * mb);
});

test('T546: links, submodules and names that no path may have are named, and the other files are read', async () => {
  const text = blobOf('text');
  const inner = treeOf([file('config', text)]);
  const tree = treeOf([
    folder('.github', inner),
    file('.hidden.md', text),
    file('a\nb.md', text),
    file('fine.md', text),
    { mode: '120000', name: 'link.md', id: idOf(text) },
    { mode: '160000', name: 'module', id: '1'.repeat(40) },
    file('not-there.md', blobOf('another')),
  ]);
  expect(await contents(await madeGitServer([commitOf(tree), tree, inner, text]))).toEqual({
    'a\u{fffd}b.md': 'its path must have no backslash, line break or tab',
    'fine.md': 'text',
    'link.md': 'it is a symbolic link',
    module: 'it is a submodule, another repository',
    'not-there.md': 'what it sends is no whole pack of Git',
  });
});

test.each(['..', '../up.md', '.git'])('T546: the name %j of a file ends the refresh', async (name) => {
  const text = blobOf('text');
  const tree = treeOf([file('fine.md', text), file(name, text)]);
  await expect(contents(await madeGitServer([commitOf(tree), tree, text]))).rejects.toThrow(
    'it has a name that leads out of its folder',
  );
});

test.each<[string, Parameters<typeof answeringServer>[0], string]>([
  ['a page', (_, response) => void response.end('<html>'), 'it answers with no Git repository'],
  ['a redirect to nowhere', (_, response) => void response.writeHead(302).end(), 'it redirects to no Git repository'],
  ['500', (_, response) => void response.writeHead(500).end(), 'it answers 500'],
  [
    'compressed names',
    (_, response) => void response.writeHead(200, { 'content-encoding': 'gzip' }).end(),
    'it comes compressed, although nobody asked for that',
  ],
  [
    'names without an end',
    (_, response) => {
      const more = () => {
        while (!response.destroyed && response.write(Buffer.alloc(mb)));
      };
      response.on('drain', more);
      more();
    },
    'it sends more than 32 MB',
  ],
])('T546: a server that answers with %s ends the refresh', async (_, answer, said) => {
  const url = await answeringServer(answer);
  await expect(contents(url)).rejects.toMatchObject({
    code: 'source_failed',
    detail: `The Git repository ${url} cannot be listed: ${said}.`,
  });
});
