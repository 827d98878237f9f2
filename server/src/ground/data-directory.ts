// One server per data directory. `server.pid` names the holder. A holder is dead when its process has ended, also when another process has
// its id. So a killed server never blocks the next one. The file appears only with its whole content, and only its holder removes it. One
// starter with a claim replaces the file of a dead holder in one step.
import { createHash, randomUUID } from 'node:crypto';
import { mkdirSync, readFileSync, rmSync } from 'node:fs';
import { link, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ConfigFault } from './config/config.ts';

export class DataDirectoryInUse extends Error {}

interface Holder {
  pid: number;
  /** In clock ticks since boot (proc_pid_stat(5), field 22). It distinguishes processes with the same id. */
  started_ticks: string;
  url: string | null;
  started_at: string;
}

export interface Lock {
  /** Writes the server's address for the CLI. */
  announce(url: string): Promise<void>;
  release(): void;
}

/** Throws DataDirectoryInUse, with the other server's process id. */
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
      // A rename, so that no reader gets half a file.
      await writeFile(`${file}.new`, JSON.stringify({ ...mine, url }), { mode: 0o644 });
      await rename(`${file}.new`, file);
    },
    release: () => rmSync(file, { force: true }),
  };
}

// Other users may enter the created directories, but not list them: PostgreSQL runs as another user, in a directory below.
function makeDirectory(data_dir: string): void {
  const before = process.umask(0);
  try {
    mkdirSync(data_dir, { recursive: true, mode: 0o711 });
  } catch (error) {
    const code = codeOf(error);
    if (typeof code !== 'string') throw error;
    throw new ConfigFault(
      `The data directory ${data_dir} cannot be created (${code}). Set DATA_DIR to another directory.`,
    );
  } finally {
    process.umask(before);
  }
}

/** Undefined once the file is ours; otherwise the living process that holds it or is about to. */
async function take(file: string, mine: Holder): Promise<Holder | undefined> {
  const draft = `${file}.${randomUUID()}`;
  await writeFile(draft, JSON.stringify(mine), { flag: 'wx', mode: 0o644 });
  try {
    for (;;) {
      // A further round happens when another starter takes or releases the file meanwhile.
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

// The claim's name is a hash of the dead holder's content. It is taken like the lock itself, so a starter that is killed here blocks
// nobody. Only the claim's owner replaces the content of a dead holder. So content that is unchanged under our claim stays unchanged until
// we replace it.
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
    // A power cut emptied or truncated the file: nobody holds it.
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
    // The name in parentheses may contain anything, so fields are counted from its end.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    // A zombie has ended, even if its parent never collects it.
    return fields[0] === 'Z' ? undefined : fields[19];
  } catch {
    // No such process.
    return undefined;
  }
}
