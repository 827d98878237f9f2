// One server per data directory. `server.pid` names the holder; a holder that is gone, or whose number now belongs to another
// process, holds nothing, so a killed server never stands in the way of the next one.
import { readFileSync, rmSync } from 'node:fs';
import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

export class DataDirectoryInUse extends Error {}

export interface Holder {
  pid: number;
  /** In clock ticks since boot (proc_pid_stat(5), field 22): tells a reused number from the same process. */
  started_ticks: string;
  url: string | null;
  started_at: string;
}

export interface Lock {
  /** Tells the CLI where the server listens. */
  announce(url: string): Promise<void>;
  release(): void;
}

/** Takes the directory for this process; throws DataDirectoryInUse naming the other server. */
export async function lockDataDirectory(data_dir: string): Promise<Lock> {
  await mkdir(data_dir, { recursive: true });
  const file = join(data_dir, 'server.pid');
  const mine: Holder = {
    pid: process.pid,
    started_ticks: startedTicks(process.pid) ?? '',
    url: null,
    started_at: new Date().toISOString(),
  };
  await take(file, mine, data_dir);
  return {
    announce: async (url) => {
      // Renamed into place, so that nobody reads half a file.
      await writeFile(`${file}.new`, JSON.stringify({ ...mine, url }), { mode: 0o644 });
      await rename(`${file}.new`, file);
    },
    release: () => rmSync(file, { force: true }),
  };
}

async function take(file: string, mine: Holder, data_dir: string): Promise<void> {
  for (let attempt = 0; attempt < 3; attempt++) {
    try {
      await writeFile(file, JSON.stringify(mine), { flag: 'wx', mode: 0o644 });
      return;
    } catch (error) {
      if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error;
    }
    const holder = await readHolder(file);
    if (holder !== undefined && isAlive(holder)) {
      throw new DataDirectoryInUse(
        `Another server (process ${holder.pid}) uses the data directory ${data_dir}. Stop it first: svc server stop`,
      );
    }
    rmSync(file, { force: true });
  }
  throw new DataDirectoryInUse(`Another server is starting on the data directory ${data_dir}`);
}

async function readHolder(file: string): Promise<Holder | undefined> {
  try {
    return JSON.parse(await readFile(file, 'utf8')) as Holder; // written by the function above
  } catch {
    // Cut off by a crash while it was written, or gone meanwhile: nobody holds it.
    return undefined;
  }
}

function isAlive(holder: Holder): boolean {
  const ticks = startedTicks(holder.pid);
  return ticks !== undefined && ticks === holder.started_ticks;
}

function startedTicks(pid: number): string | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // The name in parentheses may hold anything, so count fields from its end.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    // A zombie has ended; its parent only has not asked yet, and may never ask.
    return fields[0] === 'Z' ? undefined : fields[19];
  } catch {
    // No such process.
    return undefined;
  }
}
