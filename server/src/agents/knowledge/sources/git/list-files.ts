// The files of a commit, in the process that reads a repository. Trees are hostile: the same tree may stand in itself many times, and a name may be anything.
import git, { type TreeEntry } from 'isomorphic-git';
import type { GitEntry } from './messages.ts';
import { GitUnreadable } from './git-unreadable.ts';

/** Far more than a base has documents: files of other kinds count too. */
const most_entries = 100_000;
const most_depth = 60;

export type Store = Pick<Parameters<typeof git.readTree>[0], 'fs' | 'gitdir' | 'cache'>;

/** By path. Names that begin with a dot are left out; links and submodules have a problem. */
export async function listFiles(
  store: Store,
  { commit, folder }: { commit: string; folder: string },
): Promise<GitEntry[]> {
  const listed: GitEntry[] = [];
  const trees = new Map<string, TreeEntry[]>();
  let seen = 0;
  const walk = async (oid: string, below: string, depth: number): Promise<void> => {
    if (depth > most_depth) throw new GitUnreadable(`its folders are more than ${most_depth} deep`);
    const tree = trees.get(oid) ?? (await treeOf(store, oid));
    trees.set(oid, tree);
    for (const { path: name, oid: of, type, mode } of tree) {
      if (++seen > most_entries) throw new GitUnreadable(`it has more than ${most_entries} files and folders`);
      if (name.startsWith('.')) continue;
      const path = `${below}${name}`;
      if (type === 'tree') await walk(of, `${path}/`, depth + 1);
      else listed.push({ path, oid: of, ...problemOf({ type, mode }) });
    }
  };
  const { commit: named } = await git.readCommit({ ...store, oid: commit });
  const root = await folderOf(store, named.tree, folder);
  await walk(root, folder === '' ? '' : `${folder}/`, 0);
  return listed;
}

async function folderOf(store: Store, root: string, folder: string): Promise<string> {
  let oid = root;
  for (const part of folder.split('/').filter((one) => one !== '')) {
    const found = (await treeOf(store, oid)).find(({ path, type }) => path === part && type === 'tree');
    if (found === undefined) throw new GitUnreadable(`it has no folder ${folder}`);
    oid = found.oid;
  }
  return oid;
}

async function treeOf(store: Store, oid: string): Promise<TreeEntry[]> {
  return (await git.readTree({ ...store, oid })).tree;
}

function problemOf({ type, mode }: Pick<TreeEntry, 'type' | 'mode'>): { problem?: string } {
  if (type === 'commit') return { problem: 'it is a submodule, another repository' };
  return mode === '120000' ? { problem: 'it is a symbolic link' } : {};
}
