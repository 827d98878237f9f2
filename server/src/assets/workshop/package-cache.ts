import { createHash } from 'node:crypto';
import { answered, ask, type Engine } from '../docker/client.ts';
import { labelsFor, mark, ownedBy } from '../docker/labels.ts';
import type { SandboxVolume } from './sandbox.ts';
import type { IndexedInput, Sandboxes } from './sandboxes.ts';

/** The mount point of the cache in a sandbox. */
export const cacheDirectory = '/var/cache/uv';
const purpose = 'wheels';

type CachePlace = Pick<IndexedInput, 'volumes' | 'writable_directories'> & { env: Record<string, string> };

/**
 * The team's own cache, kept between runs. No package code runs with the cache mounted. Unpacked files are not hashed again, so that code
 * could change later installations of the team's other agents. Runs with the cache use only wheels and compile no bytecode.
 */
export async function teamCache({ engine }: Sandboxes, team_id: string, signal: AbortSignal): Promise<CachePlace> {
  const volume: SandboxVolume = { name: cacheName(engine, team_id), path: cacheDirectory, writable_folder: 'wheels' };
  await ask(engine.docker.createVolume({ Name: volume.name, Labels: labelsFor(engine, purpose) }), { signal });
  return { volumes: [volume], env: { UV_CACHE_DIR: `${cacheDirectory}/wheels`, UV_LINK_MODE: 'copy' } };
}

/** Removes the caches of all other teams. */
export async function pruneCaches(engine: Engine, team_ids: ReadonlySet<string>, signal: AbortSignal): Promise<void> {
  const kept = new Set([...team_ids].map((team_id) => cacheName(engine, team_id)));
  await removeVolumes(engine, { purpose, kept, signal });
}

/** Removes the caches that package code could change. Their name and purpose differ, so none is used again. */
export async function removeOldCaches(engine: Engine, signal: AbortSignal): Promise<void> {
  await removeVolumes(engine, { purpose: 'cache', kept: new Set(), signal });
}

/** A volume in use by a sandbox stays until a later call. */
async function removeVolumes(
  engine: Engine,
  o: { purpose: string; kept: ReadonlySet<string>; signal: AbortSignal },
): Promise<void> {
  const filters = JSON.stringify(ownedBy(engine, o.purpose));
  const { Volumes } = await ask(engine.docker.listVolumes({ filters }), { signal: o.signal });
  for (const { Name } of Volumes ?? []) {
    if (o.kept.has(Name)) continue;
    await ask(engine.docker.getVolume(Name).remove(), { signal: o.signal }).catch((error: unknown) => {
      if (!answered(error, 404) && !answered(error, 409)) throw error;
    });
  }
}

function cacheName(engine: Engine, team_id: string): string {
  const team = createHash('sha256').update(team_id).digest('hex').slice(0, 16);
  return `svc-wheels-${mark(engine)}-${team}`;
}

/** A cache in the sandbox's own layer. It counts against the disk limit and is removed with the sandbox. */
export const throwAwayCache: CachePlace = {
  writable_directories: [cacheDirectory],
  env: { UV_CACHE_DIR: cacheDirectory },
};
