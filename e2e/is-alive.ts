import { readFile } from 'node:fs/promises';

/** False for a zombie: it has ended, but its parent has not collected it. */
export async function isAlive(pid: number): Promise<boolean> {
  try {
    const stat = await readFile(`/proc/${pid}/stat`, 'utf8');
    return !stat.slice(stat.lastIndexOf(')')).startsWith(') Z');
  } catch {
    // No such process.
    return false;
  }
}
