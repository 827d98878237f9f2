import { createHash } from 'node:crypto';
import { answered, ask, type Engine } from './client.ts';
import { labelsFor, mark, ownedBy } from './labels.ts';
import type { SandboxVolume } from './sandbox.ts';
import type { IndexedInput, Sandboxes } from './sandboxes.ts';

const path = '/var/cache/uv';

type CachePlace = Pick<IndexedInput, 'volumes' | 'writable_directories'> & { env: Record<string, string> };

/**
 * The team's own cache, kept between runs. Only runs that install nothing but wheels may write it: what runs a package's code could
 * leave in it what another agent of the team installs later.
 */
export async function teamCache({ engine }: Sandboxes, team_id: string, signal: AbortSignal): Promise<CachePlace> {
  const volume: SandboxVolume = { name: cacheName(engine, team_id), path, writable_folder: 'wheels' };
  await ask(engine.docker.createVolume({ Name: volume.name, Labels: labelsFor(engine, 'cache') }), { signal });
  return { volumes: [volume], env: { UV_CACHE_DIR: `${path}/wheels`, UV_LINK_MODE: 'copy' } };
}

/** Removes the caches of all other teams. One that a sandbox still uses stays for the next time. */
export async function pruneCaches(engine: Engine, team_ids: ReadonlySet<string>, signal: AbortSignal): Promise<void> {
  const kept = new Set([...team_ids].map((team_id) => cacheName(engine, team_id)));
  const filters = JSON.stringify(ownedBy(engine, 'cache'));
  const { Volumes } = await ask(engine.docker.listVolumes({ filters }), { signal });
  for (const { Name } of Volumes ?? []) {
    if (kept.has(Name)) continue;
    await ask(engine.docker.getVolume(Name).remove(), { signal }).catch((error: unknown) => {
      if (!answered(error, 404) && !answered(error, 409)) throw error;
    });
  }
}

function cacheName(engine: Engine, team_id: string): string {
  const team = createHash('sha256').update(team_id).digest('hex').slice(0, 16);
  return `svc-cache-${mark(engine)}-${team}`;
}

/** A cache in the sandbox's own layer, measured by its disk limit and gone with it. */
export const throwAwayCache: CachePlace = { writable_directories: [path], env: { UV_CACHE_DIR: path } };
