import { randomUUID } from 'node:crypto';
import { chmod, lstat, mkdir, readdir, readFile, rename, rm, statfs, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { requireSecretName } from '../secret-name.ts';
import type { SecretPlace } from './secret-place.ts';
import type { SecretFiles } from '../target.ts';

// Secrets reach a container as files in one directory on the host's tmpfs. They are never in the engine's records, an image or on a disk.
// Only the service can enter the parent directory. The files are readable for all, so that the container's user can read them.

export function secretDirectory(root: string): SecretPlace {
  const path = (container: string) => join(root, container);
  const prepare = async (container: string) => {
    await mkdir(root, { recursive: true, mode: 0o700 });
    await refuseUnsafe(root);
    await mkdir(path(container), { recursive: true });
    await chmod(path(container), 0o755);
  };
  // The log of a container also has what it printed before a change of a value. So its earlier values stay for the mask, out of its reach.
  const aside = (container: string) => join(root, `${container}.earlier`);
  const setAside = async (container: string, name: string, next: string | undefined) => {
    const file = join(path(container), name);
    if (next === undefined || (await readFile(file, 'utf8')) === next) return await rm(file, { recursive: true });
    await mkdir(aside(container), { recursive: true, mode: 0o700 });
    await rename(file, join(aside(container), `${name}.${randomUUID()}`));
  };
  const write = async (container: string, secrets: SecretFiles) => {
    await prepare(container);
    // The directory itself stays, because a container has mounted it.
    for (const name of await readdir(path(container))) await setAside(container, name, secrets[name]);
    for (const [name, value] of Object.entries(secrets)) {
      requireSecretName(name);
      const file = join(path(container), name);
      await writeFile(file, value, { flag: 'wx' });
      // Set separately, because the process's umask removes bits from the mode of a new file.
      await chmod(file, 0o444);
    }
  };
  return {
    mount: (container) => ({ Type: 'bind', Source: path(container), BindOptions: { Propagation: 'rprivate' } }),
    prepare,
    async during(container, secrets, start) {
      await write(container, secrets);
      await start();
    },
    async values(container, names) {
      const present = names.map((name) => join(path(container), name));
      const earlier = (await entries(aside(container)))
        .filter((file) => names.includes(file.replace(/\..*/, '')))
        .map((file) => join(aside(container), file));
      const texts = await Promise.all([...present, ...earlier].map(readIfThere));
      return texts.filter((text) => text !== undefined);
    },
    async remove(container) {
      await rm(path(container), { recursive: true, force: true });
      await rm(aside(container), { recursive: true, force: true });
    },
  };
}

async function entries(directory: string): Promise<string[]> {
  return (await unlessMissing(readdir(directory))) ?? [];
}

async function readIfThere(file: string): Promise<string | undefined> {
  return await unlessMissing(readFile(file, 'utf8'));
}

async function unlessMissing<T>(read: Promise<T>): Promise<T | undefined> {
  try {
    return await read;
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
    throw error;
  }
}

/** Finds the first usual directory in memory, for `<directory>/gantry/<installation>`. */
export async function memoryDirectory(
  candidates: readonly string[] = ['/run', '/dev/shm'],
): Promise<string | undefined> {
  for (const candidate of candidates) if (await isInMemory(candidate)) return candidate;
  return undefined;
}

/** The file system types of tmpfs and ramfs (statfs(2)). */
const memoryTypes: readonly number[] = [0x01021994, 0x858458f6];

async function isInMemory(path: string): Promise<boolean> {
  return memoryTypes.includes((await statfs(path)).type);
}

/** In a directory for everybody, such as /dev/shm, another user may have made the directory first. */
async function refuseUnsafe(root: string): Promise<void> {
  const found = await lstat(root);
  const isOurs = found.isDirectory() && found.uid === process.getuid?.() && (found.mode & 0o077) === 0;
  if (!isOurs) throw new Error('The directory for secrets belongs to another user or is open to others');
  if (!(await isInMemory(root))) throw new Error('The directory for secrets is not in memory');
}
