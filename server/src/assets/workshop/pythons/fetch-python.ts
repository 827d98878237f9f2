import { Problem } from '@gantry/contract/problems.ts';
import { ask } from '../../docker/client.ts';
import { labelsFor } from '../../docker/labels.ts';
import type { Making } from './obtain-python.ts';
import type { Sandboxes } from '../sandboxes.ts';
import { uvPath } from '../uv.ts';

const folder = '/opt/python';

/** Adds a Python from BUILD_PYTHON_MIRROR to the base image. uv fetches it and verifies its hash, which uv itself contains. */
export async function fetchPython(sandboxes: Sandboxes, { python, say, signal }: Making): Promise<string> {
  const { engine, settings, base } = sandboxes;
  const { python_mirror } = settings;
  if (python_mirror === undefined) throw unfetched('BUILD_PYTHON_MIRROR is not set');
  say('fetching it from BUILD_PYTHON_MIRROR');
  const { Config } = await ask(engine.docker.getImage(base.id).inspect(), { signal });
  const path = (Config.Env ?? []).find((one) => one.startsWith('PATH='))?.slice('PATH='.length) ?? '';
  const { exit_code, stderr, image } = await sandboxes.run({
    command: ['/bin/sh', '-c', fetch, 'fetch', python],
    env: { UV_PYTHON_INSTALL_MIRROR: python_mirror, UV_PYTHON_DOWNLOADS: 'manual', UV_CACHE_DIR: '/tmp/cache' },
    writable_directories: [folder],
    signal,
    keep: (stdout) => ({
      labels: labelsFor(engine, 'python'),
      cmd: ['python3'],
      path: `${folder}/${stdout.trim()}/bin:${path}`,
    }),
  });
  if (image !== undefined) return image;
  // uv prints an error, and its causes below it.
  const reason = stderr
    .trim()
    .replace(/^[^]*?\berror: /, '')
    .replaceAll(/\s+/g, ' ')
    .slice(0, 500);
  throw unfetched(`BUILD_PYTHON_MIRROR did not give Python ${python}: ${reason || `exit code ${exit_code}`}`);
}

const unfetched = (detail: string) => new Problem('python_unavailable', { detail });

// Prints the name of the folder, which has the patch release. uv also makes a link without it.
const fetch = `
set -e
cd ${folder}
${uvPath} python install --no-bin --install-dir ${folder} "$1" >&2
made=$(ls -d cpython-$1.*)
$made/bin/python3 -I -c 'import ssl, pip'
echo $made
`;
