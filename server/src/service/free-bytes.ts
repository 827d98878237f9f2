import { statfs } from 'node:fs/promises';

/** The free space for a writer in the folder, in bytes. */
export async function freeBytes(folder: string): Promise<number> {
  const { bavail, bsize } = await statfs(folder);
  return bavail * bsize;
}
