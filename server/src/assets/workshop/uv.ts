import { Problem } from '@gantry/contract/problems.ts';
import { createHash } from 'node:crypto';
import { answered, ask, type Engine } from '../docker/client.ts';
import { labelsFor, mark } from '../docker/labels.ts';
import type { SandboxInput, SandboxResult } from './sandbox.ts';
import type { Image } from '../docker/base-image.ts';

/** The mount point of the volume with uv in a sandbox. */
export const uvDirectory = '/opt/uv';
export const uvPath = `${uvDirectory}/bin/uv`;

// The move comes last, so a volume with `uv` is always complete, also after a kill. Two services may fetch at once: each has its own part.
const fetchUv = `
set -e
python3 -m pip install --target /tmp/tools --quiet --disable-pip-version-check --no-cache-dir --no-compile --only-binary :all: uv
part=$(mktemp ${uvPath}.XXXXXX)
trap 'rm -f "$part"' EXIT
cp /tmp/tools/bin/uv "$part"
chmod 755 "$part"
mv "$part" ${uvPath}
`;

/** Installs uv from the package index into a separate volume, once per base image. The mount is read-only, so no image includes uv. */
export async function ensureUv(
  engine: Engine,
  base: Image,
  o: {
    run: (input: Pick<SandboxInput, 'command' | 'volumes' | 'signal'>) => Promise<SandboxResult>;
    signal: AbortSignal;
  },
): Promise<string> {
  const name = `svc-uv-${mark(engine)}-${createHash('sha256').update(base.id).digest('hex').slice(0, 12)}`;
  await ask(engine.docker.createVolume({ Name: name, Labels: labelsFor(engine, 'uv') }), { signal: o.signal });
  if (await holdsUv(engine, base, name, o.signal)) return name;
  const result = await o.run({
    command: ['/bin/sh', '-c', fetchUv],
    volumes: [{ name, path: uvDirectory, writable_folder: 'bin' }],
    signal: o.signal,
  });
  if (result.exit_code !== 0) {
    throw new Problem('index_unreachable', {
      detail: 'The service could not fetch uv from the package index',
      fields: { output: result.stderr.slice(-4000) },
    });
  }
  return name;
}

/** Reads the volume through a container that never starts. */
async function holdsUv(engine: Engine, base: Image, volume: string, signal: AbortSignal): Promise<boolean> {
  const container = await ask(
    engine.docker.createContainer({
      Image: base.id,
      Cmd: ['true'],
      NetworkDisabled: true,
      Labels: labelsFor(engine, 'sandbox'),
      HostConfig: { Mounts: [{ Type: 'volume', Source: volume, Target: uvDirectory, ReadOnly: true }] },
    }),
    { signal },
  );
  try {
    // Untyped in the client: a stream without content, which keeps its connection open until it is read.
    const answer = container.infoArchive({ path: uvPath }) as Promise<NodeJS.ReadableStream>;
    (await ask(answer, { signal })).resume();
    return true;
  } catch (error) {
    if (answered(error, 404)) return false;
    throw error;
  } finally {
    await ask(container.remove({ force: true }));
  }
}
