import type { LockedProject } from '@gantry/project/dependencies/locked-project.ts';
import { joined } from '@gantry/project/folders/path-inside.ts';
import type { Reader } from '../../../ground/database/database.ts';
import type { ProjectLock } from '../../workshop/resolve/export-lock.ts';
import type { ManifestFile } from '../content.ts';
import * as contents from '../content-store.ts';

/** The uv.lock of a pushed project with the texts that uv reads. A push has checked that they are UTF-8. */
export async function loadProjectLock(
  db: Reader,
  { lock, folders, packages }: LockedProject,
  manifest: readonly ManifestFile[],
): Promise<ProjectLock> {
  const wanted = new Set([lock, ...folders.map((folder) => joined(folder, 'pyproject.toml'))]);
  const listed = manifest.filter(({ path }) => wanted.has(path));
  const bytes = await contents.blobs(
    db,
    listed.map(({ sha256 }) => sha256),
  );
  const texts = listed.map(({ path, sha256 }): [string, string] => {
    const found = bytes.get(sha256);
    if (found === undefined) throw new Error(`the bytes of ${path} are missing`);
    return [path, Buffer.from(found).toString('utf8')];
  });
  return { lock, folders, packages, files: Object.fromEntries(texts) };
}
