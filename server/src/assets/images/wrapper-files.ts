import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { join, relative } from 'node:path';

export interface WrapperFiles {
  files: Map<string, Uint8Array>;
  /** `sha256:…` of all wrapper files. It identifies the wrapper of a version's image. */
  digest: string;
  /** The packages that the wrapper imports, with hashes. */
  lock: string;
}

/** Reads the wrapper's Python files from `directory`, the folder `_svc_wrapper`, and the lock beside it. */
export async function readWrapperFiles(directory: string): Promise<WrapperFiles> {
  const entries = await readdir(directory, { recursive: true, withFileTypes: true });
  const paths = entries
    .filter((entry) => entry.isFile() && entry.name.endsWith('.py'))
    .map((entry) => join(entry.parentPath, entry.name));
  const files = new Map<string, Uint8Array>();
  const hash = createHash('sha256');
  for (const path of paths.toSorted()) {
    const content = await readFile(path);
    files.set(relative(directory, path), content);
    hash.update(JSON.stringify([relative(directory, path), content.length])).update(content);
  }
  if (files.size === 0) throw new Error('The wrapper has no files');
  const lock = await readFile(join(directory, '../requirements.lock'), 'utf8');
  return { files, digest: `sha256:${hash.digest('hex')}`, lock };
}
