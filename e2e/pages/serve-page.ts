import { createServer } from 'node:http';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { mkdtemp, rm } from 'node:fs/promises';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { build } from 'vite';

const types: Readonly<Record<string, string>> = { html: 'text/html', js: 'text/javascript' };

/** Builds a page of this folder and serves it at an origin of its own. */
export async function servePage(name: string): Promise<{ origin: string; close: () => Promise<void> }> {
  const root = join(import.meta.dirname, name);
  const outDir = await mkdtemp(join(tmpdir(), 'gantry-page-'));
  await build({ root, configFile: false, logLevel: 'error', build: { outDir, emptyOutDir: true } });
  const server = createServer((request, response) => {
    const path = request.url === '/' ? '/index.html' : (request.url ?? '');
    void readFile(join(outDir, path)).then(
      (bytes) => response.writeHead(200, { 'content-type': types[path.split('.').at(-1) ?? ''] ?? '' }).end(bytes),
      () => response.writeHead(404).end(),
    );
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo; // it listens on TCP
  return {
    origin: `http://127.0.0.1:${port}`,
    close: async () => {
      server.closeAllConnections();
      server.close();
      await rm(outDir, { recursive: true });
    },
  };
}
