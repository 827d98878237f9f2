// Secrets for a container of another machine's engine. They are in a volume on tmpfs, which exists in memory from its first user to its last.
// A second container, which runs nothing of the agent, holds the volume while the files are sent and until the agent's container has started.
import { Parser, type ReadEntry } from 'tar';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { packArchive } from '../../../../assets/docker/archive.ts';
import { ask, unless, type Engine } from '../../../../assets/docker/client.ts';
import { labelsFor } from '../../../../assets/docker/labels.ts';
import { requireSecretName } from '../secret-name.ts';
import type { SecretPlace } from './secret-place.ts';

const path = '/run/secrets';
// Longer than a slow start, so that nothing is left of a service that ended in between.
const holder_seconds = 120;
const volume_bytes = 8 * 1024 ** 2;

export function secretVolume(engine: Engine): SecretPlace {
  const { docker } = engine;
  const volumeOf = (container: string) => `${container}-secrets`;

  async function hold(container: string) {
    const { Image } = await ask(docker.getContainer(container).inspect());
    const name = `${container}-holder`;
    await unless(404, ask(docker.getContainer(name).remove({ force: true })));
    const holder = await ask(
      docker.createContainer({
        name,
        Image,
        Entrypoint: [],
        Cmd: ['/opt/venv/bin/python', '-c', `import time; time.sleep(${holder_seconds})`],
        WorkingDir: '/',
        Labels: labelsFor(engine, 'secrets'),
        HostConfig: {
          AutoRemove: true,
          NetworkMode: 'none',
          ReadonlyRootfs: true,
          CapDrop: ['ALL'],
          SecurityOpt: ['no-new-privileges'],
          Init: true,
          Mounts: [{ Type: 'volume', Source: volumeOf(container), Target: path }],
        },
      }),
    );
    await ask(holder.start());
    return holder;
  }

  return {
    mount: (container) => ({ Type: 'volume', Source: volumeOf(container) }),
    prepare: async (container) => {
      await ask(
        docker.createVolume({
          Name: volumeOf(container),
          Driver: 'local',
          DriverOpts: { type: 'tmpfs', device: 'tmpfs', o: `size=${volume_bytes},mode=0755,nosuid,nodev,noexec` },
          Labels: labelsFor(engine, 'secrets'),
        }),
      );
    },
    during: async (container, secrets, start) => {
      const holder = await hold(container);
      try {
        const files = Object.entries(secrets).map(([name, content]) => {
          requireSecretName(name);
          return { path: name, content, mode: 0o444 };
        });
        await ask(holder.putArchive(packArchive(files), { path }));
        await start();
      } finally {
        await unless(404, ask(holder.remove({ force: true })));
      }
    },
    // A container that does not run has none: the memory of its volume is free again.
    values: async (container, names) => {
      const found = await readFiles(engine, container);
      return names.flatMap((name) => found.get(name) ?? []);
    },
    remove: async (container) => {
      await unless(404, ask(docker.getContainer(`${container}-holder`).remove({ force: true })));
      await unless(404, ask(docker.getVolume(volumeOf(container)).remove()));
    },
  };
}

async function readFiles({ docker }: Engine, container: string): Promise<Map<string, string>> {
  const files = new Map<string, string>();
  const archive = await unless(404, ask(docker.getContainer(container).getArchive({ path })));
  if (archive === undefined) return files;
  const entries: Promise<void>[] = [];
  const read = async (entry: ReadEntry) => {
    const chunks = await Array.fromAsync(entry as AsyncIterable<Buffer>);
    files.set(entry.path.split('/').at(-1) ?? '', Buffer.concat(chunks).toString());
  };
  // A response of Node's HTTP client.
  await pipeline(
    archive as Readable,
    new Parser({ strict: true, onReadEntry: (entry) => void entries.push(read(entry)) }),
  );
  await Promise.all(entries);
  return files;
}
