// A layer of a folder, with links and programs. The same files give the same bytes: sorted, root's, with one time and two modes.
import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { readdir, rename, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { run } from './run.ts';

export interface Blob {
  digest: string;
  size: number;
  path: string;
}

export async function writeLayerFile(folder: string, blobs: string): Promise<Blob> {
  const path = join(blobs, 'unfinished');
  await run('tar', [
    '--create',
    `--file=${path}`,
    '--format=gnu',
    '--sort=name',
    '--mtime=@0',
    '--owner=0',
    '--group=0',
    '--numeric-owner',
    '--mode=u=rwX,go=rX',
    `--directory=${folder}`,
    ...(await readdir(folder)).toSorted(),
  ]);
  const hash = createHash('sha256');
  await pipeline(createReadStream(path), hash);
  const hex = hash.digest('hex');
  await rename(path, join(blobs, hex));
  return { digest: `sha256:${hex}`, size: (await stat(join(blobs, hex))).size, path: join(blobs, hex) };
}
