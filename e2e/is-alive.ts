import { readFile } from 'node:fs/promises';

/** A process that has ended and that nobody has buried yet is not. */
export async function isAlive(pid: number): Promise<boolean> {
  try {
    const stat = await readFile(`/proc/${pid}/stat`, 'utf8');
    return !stat.slice(stat.lastIndexOf(')')).startsWith(') Z');
  } catch {
    // No such process.
    return false;
  }
}
