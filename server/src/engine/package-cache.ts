import { createHash } from 'node:crypto';
import { ask } from './client.ts';
import { labelsFor, mark } from './labels.ts';
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

/** A cache in the sandbox's own layer, measured by its disk limit and gone with it. */
export const throwAwayCache: CachePlace = { writable_directories: [path], env: { UV_CACHE_DIR: path } };
