// Debian's docker-registry on loopback. Engines accept a registry without TLS there.
import { spawn } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from './free-port.ts';
import { running } from './running.ts';

export interface ImageRegistry {
  /** `host:port` */
  address: string;
  /** The file with this content. */
  blob(digest: string): string;
  stop(): Promise<void>;
}

export async function startImageRegistry(): Promise<ImageRegistry> {
  const directory = await mkdtemp(join(tmpdir(), 'gantry-registry-'));
  const port = await freePort();
  const address = `127.0.0.1:${port}`;
  const settings = {
    version: '0.1',
    log: { level: 'error' },
    storage: { filesystem: { rootdirectory: directory } },
    http: { addr: address },
  };
  const file = join(directory, 'config.yml');
  // JSON is YAML.
  await writeFile(file, JSON.stringify(settings));
  const server = running(() => spawn('/usr/bin/docker-registry', ['serve', file], { stdio: 'ignore' }), port);
  await server.start();
  return {
    address,
    blob: (digest) => {
      const [algorithm = '', hex = ''] = digest.split(':');
      return join(directory, 'docker/registry/v2/blobs', algorithm, hex.slice(0, 2), hex, 'data');
    },
    stop: async () => {
      await server.end('SIGTERM');
      await rm(directory, { recursive: true });
    },
  };
}
