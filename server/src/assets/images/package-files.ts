import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { join, relative } from 'node:path';

export interface PackageFiles {
  files: Map<string, Uint8Array>;
  /** `sha256:…` of all files. It identifies the wrapper of a version's image. */
  digest: string;
  /** The packages that they import, with hashes. */
  lock: string;
}

/** A Python package of the service: the files of its folder, and the lock beside the folder. */
export async function readPackageFiles(directory: string): Promise<PackageFiles> {
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
  if (files.size === 0) throw new Error(`${directory} has no files`);
  const lock = await readFile(join(directory, '../requirements.lock'), 'utf8');
  return { files, digest: `sha256:${hash.digest('hex')}`, lock };
}
