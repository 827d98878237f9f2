// One server per data directory. `server.pid` names the holder; a holder that is gone, or whose number now belongs to another
// process, holds nothing, so a killed server never stands in the way of the next one. The file appears whole or not at all, and only
// whoever holds it removes it; what a dead holder left is replaced in one step, by the one starter that has the claim on it.
import { createHash, randomUUID } from 'node:crypto';
import { mkdirSync, readFileSync, rmSync } from 'node:fs';
import { link, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ConfigFault } from './config.ts';

export class DataDirectoryInUse extends Error {}

interface Holder {
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
  makeDirectory(data_dir);
  const file = join(data_dir, 'server.pid');
  const mine: Holder = {
    pid: process.pid,
    started_ticks: startedTicks(process.pid) ?? '',
    url: null,
    started_at: new Date().toISOString(),
  };
  const other = await take(file, mine);
  if (other !== undefined) {
    throw new DataDirectoryInUse(
      `Another server (process ${other.pid}) uses the data directory ${data_dir}. Stop it first: svc server stop`,
    );
  }
  return {
    announce: async (url) => {
      // Renamed into place, so that nobody reads half a file.
      await writeFile(`${file}.new`, JSON.stringify({ ...mine, url }), { mode: 0o644 });
      await rename(`${file}.new`, file);
    },
    release: () => rmSync(file, { force: true }),
  };
}

// Others may pass through what is made here, and list nothing: PostgreSQL runs as a user of its own, and has its directory below.
function makeDirectory(data_dir: string): void {
  const before = process.umask(0);
  try {
    mkdirSync(data_dir, { recursive: true, mode: 0o711 });
  } catch (error) {
    const code = codeOf(error);
    if (typeof code !== 'string') throw error;
    throw new ConfigFault(`The data directory ${data_dir} cannot be made (${code}). Set DATA_DIR to one that can.`);
  } finally {
    process.umask(before);
  }
}

/** Undefined once the file is ours; otherwise the living process that holds it, or is about to. */
async function take(file: string, mine: Holder): Promise<Holder | undefined> {
  const draft = `${file}.${randomUUID()}`;
  await writeFile(draft, JSON.stringify(mine), { flag: 'wx', mode: 0o644 });
  try {
    for (;;) {
      // Each further round means that another starter took the file or let go of it meanwhile.
      if (await linkUnlessThere(draft, file)) return undefined;
      const found = await readIfThere(file);
      if (found === undefined) continue;
      const holder = parseHolder(found);
      if (holder !== undefined && isAlive(holder)) return holder;
      const outcome = await replaceDead(file, { found, draft, mine });
      if (outcome !== 'changed') return outcome === 'replaced' ? undefined : outcome;
    }
  } finally {
    await rm(draft, { force: true });
  }
}

// The claim is named after the very content that was found dead, and taken like the lock itself, so that a starter that is killed here
// stands in nobody's way either. Content that is dead never comes back to life, and only the owner of its claim replaces it: what is still
// the same once the claim is ours stays so until we have replaced it.
async function replaceDead(
  file: string,
  { found, draft, mine }: { found: string; draft: string; mine: Holder },
): Promise<'replaced' | 'changed' | Holder> {
  const claim = `${file}.${createHash('sha256').update(found).digest('hex').slice(0, 12)}`;
  const other = await take(claim, mine);
  if (other !== undefined) return other;
  try {
    if ((await readIfThere(file)) !== found) return 'changed';
    await rename(draft, file);
    return 'replaced';
  } finally {
    await rm(claim);
  }
}

async function linkUnlessThere(draft: string, file: string): Promise<boolean> {
  try {
    await link(draft, file);
    return true;
  } catch (error) {
    if (codeOf(error) === 'EEXIST') return false;
    throw error;
  }
}

async function readIfThere(file: string): Promise<string | undefined> {
  try {
    return await readFile(file, 'utf8');
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return undefined;
    throw error;
  }
}

const codeOf = (error: unknown) => (error instanceof Error && 'code' in error ? error.code : undefined);

function parseHolder(text: string): Holder | undefined {
  try {
    return JSON.parse(text) as Holder; // written by the function above
  } catch {
    // Emptied or cut off by a power cut: nobody holds it.
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
