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
  const team = createHash('sha256').update(team_id).digest('hex').slice(0, 16);
  const volume: SandboxVolume = { name: `svc-cache-${mark(engine)}-${team}`, path, writable_folder: 'wheels' };
  await ask(engine.docker.createVolume({ Name: volume.name, Labels: labelsFor(engine, 'cache') }), { signal });
  return { volumes: [volume], env: { UV_CACHE_DIR: `${path}/wheels`, UV_LINK_MODE: 'copy' } };
}

/** Takes away the caches that have grown over `most_bytes`: they fill again. One that is in use stays for the next time. */
export async function pruneCaches(engine: Engine, most_bytes: number, signal: AbortSignal): Promise<void> {
  const filters = JSON.stringify(ownedBy(engine, 'cache'));
  const { Volumes } = await ask(engine.docker.listVolumes({ filters }), { signal });
  if (Volumes === null || Volumes.length === 0) return;
  const own = new Set(Volumes.map(({ Name }) => Name));
  // The only question that the engine answers with sizes; it measures everything it has.
  const { Volumes: measured } = (await ask(engine.docker.df(), { seconds: 300, signal })) as {
    Volumes: { Name: string; UsageData?: { Size: number } }[] | null;
  }; // untyped in the client; SystemDataUsageResponse of the engine's API
  for (const { Name, UsageData } of measured ?? []) {
    if (!own.has(Name) || (UsageData?.Size ?? 0) <= most_bytes) continue;
    await ask(engine.docker.getVolume(Name).remove(), { signal }).catch((error: unknown) => {
      if (!answered(error, 404) && !answered(error, 409)) throw error;
    });
  }
}

/** A cache in the sandbox's own layer, measured by its disk limit and gone with it. */
export const throwAwayCache: CachePlace = { writable_directories: [path], env: { UV_CACHE_DIR: path } };
