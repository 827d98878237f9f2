import { readFile } from 'node:fs/promises';

/** A zombie, which has ended but whose parent has not collected it, is not alive. */
export async function isAlive(pid: number): Promise<boolean> {
  try {
    const stat = await readFile(`/proc/${pid}/stat`, 'utf8');
    return !stat.slice(stat.lastIndexOf(')')).startsWith(') Z');
  } catch {
    // No such process.
    return false;
  }
}
