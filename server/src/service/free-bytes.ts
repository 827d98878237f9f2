import { statfs } from 'node:fs/promises';

/** What whoever writes into the folder has left, in bytes. */
export async function freeBytes(folder: string): Promise<number> {
  const { bavail, bsize } = await statfs(folder);
  return bavail * bsize;
}
