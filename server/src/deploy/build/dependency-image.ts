import { Problem } from '@gantry/contract/problems.ts';
import { createHash } from 'node:crypto';
import { findImage } from '../../engine/base-image.ts';
import { ask } from '../../engine/client.ts';
import { refuseIndexFailure } from '../../engine/index-failure.ts';
import { label, labelsFor, type RunLabel } from '../../engine/labels.ts';
import { teamCache, throwAwayCache } from '../../engine/package-cache.ts';
import type { Sandboxes } from '../../engine/sandboxes.ts';
import { uvPath } from '../../engine/uv.ts';

// Everything that is slow about a build, once for all agents of a team with the same lock: the locked packages in /opt/venv, on the
// base image. Installing may run a package's code, so it happens in a sandbox, whose layer becomes the image.

export interface DependencyImageInput {
  team_id: string;
  lock: string;
  python_version: string;
  built_from_source: string[];
  /** Changes when images of an older wrapper cannot be built upon. */
  wrapper_abi: string;
  run?: RunLabel;
  onLog?: (line: string) => void;
  signal: AbortSignal;
}

export interface DependencyImage {
  /** `sha256:…` */
  id: string;
  tag: string;
  reused: boolean;
}

/** Raises `index_unreachable`, `build_failed`, `out_of_memory`, `disk_limit`. */
export async function ensureDependencyImage(
  sandboxes: Sandboxes,
  input: DependencyImageInput,
): Promise<DependencyImage> {
  const { engine } = sandboxes;
  const hash = contentHash(sandboxes, input);
  const tag = `svc-deps:${hash}`;
  const existing = await findImage(engine, tag, input.signal);
  if (existing !== undefined) return { id: existing.id, tag, reused: true };

  const fromWheels = input.built_from_source.length === 0;
  const cache = fromWheels ? await teamCache(sandboxes, input.team_id, input.signal) : throwAwayCache;
  let id = '';
  const { exit_code, stderr } = await sandboxes.run({
    volumes: cache.volumes,
    env: cache.env,
    writable_directories: ['/opt/venv', ...(cache.writable_directories ?? [])],
    command: ['/bin/sh', '-c', install, 'install', ...(fromWheels ? ['--only-binary', ':all:'] : [])],
    files: { 'requirements.lock': input.lock },
    run: input.run,
    onLog: input.onLog,
    signal: input.signal,
    keep: async (container) => {
      const labels = { ...labelsFor(engine, 'dependencies'), [label.run]: '', [label.fence]: '' };
      const changes = [
        'CMD []',
        'WORKDIR /',
        ...Object.entries(labels).map(([name, value]) => `LABEL ${name}="${value}"`),
      ];
      // Committing a crew takes 11 s on a slow disk.
      // Untyped in the client; IdResponse of the engine's API.
      const commit = container.commit({ repo: 'svc-deps', tag: hash, pause: false, changes }) as Promise<{
        Id: string;
      }>;
      id = (await ask(commit, { seconds: 300, signal: input.signal })).Id;
    },
  });
  if (exit_code === 0) return { id, tag, reused: false };
  refuseIndexFailure(stderr);
  throw new Problem('build_failed', {
    detail: `The dependencies cannot be installed (uv ended with ${exit_code})`,
    fields: { output: stderr.trim().slice(-8000) },
  });
}

/** One team's images are no other's: a source distribution of one must not reach the agents of another. */
function contentHash(
  { base, engine }: Sandboxes,
  { team_id, lock, python_version, wrapper_abi }: DependencyImageInput,
): string {
  const parts = [engine.installation_id, team_id, base.id, base.platform, lock, python_version, wrapper_abi];
  return createHash('sha256').update(JSON.stringify(parts)).digest('hex');
}

// The cache of a source build lies in the layer that is committed; what is gone by then is in no image.
const install = `
set -e
${uvPath} venv --quiet --python python3 /opt/venv
${uvPath} pip install --python /opt/venv/bin/python --require-hashes --no-deps --compile-bytecode -r /tmp/in/requirements.lock "$@"
case "$UV_LINK_MODE" in copy) ;; *) find "$UV_CACHE_DIR" -mindepth 1 -delete ;; esac
`;
