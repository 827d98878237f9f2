// The processor time and the memory of a process and of all that it has started.
import { readdir, readFile } from 'node:fs/promises';

const clock_ticks_per_second = 100; // the unit of /proc/<pid>/stat on every Linux that Node runs on

/** The processes that this one has started, directly or not. */
export async function descendants(pid: number): Promise<number[]> {
  const numbers = (await readdir('/proc')).map(Number).filter(Number.isInteger);
  const parents = new Map(await Promise.all(numbers.map(async (one) => [one, await parentOf(one)] as const)));
  const isBelow = (one: number): boolean => {
    const parent = parents.get(one);
    return parent !== undefined && (parent === pid || isBelow(parent));
  };
  return numbers.filter(isBelow);
}

/** The processor time of this process so far, and on request of its children that have ended. */
export async function processorMilliseconds(pid: number, { with_ended = false } = {}): Promise<number> {
  const fields = await statOf(pid);
  const ticks = fields.slice(11, with_ended ? 15 : 13).reduce((sum, field) => sum + Number(field), 0);
  return (ticks * 1000) / clock_ticks_per_second;
}

/** With the processes that have ended: the system adds their time to that of their parent. */
export async function treeProcessorMilliseconds(pid: number): Promise<number> {
  const all = [pid, ...(await descendants(pid))];
  const withEnded = async (one: number) => await processorMilliseconds(one, { with_ended: true }).catch(() => 0);
  const each = await Promise.all(all.map(withEnded));
  return each.reduce((sum, one) => sum + one, 0);
}

/** The resident set sizes. Memory that two processes share counts twice. */
export async function treeResidentMegabytes(pid: number): Promise<number> {
  const all = [pid, ...(await descendants(pid))];
  const each = await Promise.all(all.map(async (one) => await residentMegabytes(one).catch(() => 0)));
  return each.reduce((sum, one) => sum + one, 0);
}

export async function parentOf(pid: number): Promise<number | undefined> {
  try {
    return Number((await statOf(pid))[1]);
  } catch {
    // It ended while the others were read.
    return undefined;
  }
}

async function residentMegabytes(pid: number): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8');
  return Number(/^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1] ?? 0) / 1024;
}

async function statOf(pid: number): Promise<string[]> {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8');
  // The name in parentheses may hold anything, so fields are counted from its end.
  return stat.slice(stat.lastIndexOf(')') + 2).split(' ');
}
