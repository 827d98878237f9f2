// The files of a repository in memory, for a library that expects a disk. Nothing of a hostile repository becomes a file of this machine.
import type { PromiseFsClient } from 'isomorphic-git';

/** Folders are the beginnings of paths, so none has to be made. */
export function memoryFiles(): PromiseFsClient {
  const files = new Map<string, Uint8Array>();
  const beginOf = (path: string) => `${path.replace(/\/$/, '')}/`;
  const find = (path: string) => files.get(path) ?? missing(path);
  const stat = async (path: string) => await Promise.resolve(statOf(find(path)));
  return {
    promises: {
      readFile: async (path: string, how?: string | { encoding?: string }) => {
        const bytes = find(path);
        const encoding = typeof how === 'string' ? how : how?.encoding;
        return await Promise.resolve(encoding === 'utf8' ? Buffer.from(bytes).toString() : bytes);
      },
      writeFile: async (path: string, content: Uint8Array | string) => {
        files.set(path, typeof content === 'string' ? Buffer.from(content) : content);
        await Promise.resolve();
      },
      readdir: async (path: string) => {
        const begin = beginOf(path);
        const below = [...files.keys()].filter((one) => one.startsWith(begin));
        return await Promise.resolve([...new Set(below.map((one) => one.slice(begin.length).split('/')[0]))]);
      },
      unlink: async (path: string) => {
        files.delete(path);
        await Promise.resolve();
      },
      mkdir: async () => await Promise.resolve(),
      rmdir: async () => await Promise.resolve(),
      stat,
      lstat: stat,
      readlink: async (path: string) => await Promise.resolve(missing(path)),
      symlink: async (path: string) => await Promise.resolve(missing(path)),
    },
  };
}

function statOf({ length: size }: Uint8Array): object {
  const isNot = () => false;
  const times = { ctimeMs: 0, mtimeMs: 0, ctime: new Date(0), mtime: new Date(0) };
  return {
    ...times,
    size,
    mode: 0o100644,
    uid: 0,
    gid: 0,
    dev: 0,
    ino: 0,
    isFile: () => true,
    isDirectory: isNot,
    isSymbolicLink: isNot,
  };
}

function missing(path: string): never {
  throw Object.assign(new Error(`there is no ${path}`), { code: 'ENOENT' });
}
