import { createHash } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Distribution } from './make-wheel.ts';

export interface PackageIndex {
  url: string;
  /** Every requested path. */
  asked: string[];
  close(): Promise<void>;
}

/** A package index (PEP 503) on this machine with only these packages. */
export async function startPackageIndex(offered: Distribution[]): Promise<PackageIndex> {
  const asked: string[] = [];
  const server = createServer((request, response) => {
    const path = request.url ?? '';
    asked.push(path);
    const [, name] = /^\/simple\/([^/]+)\/$/.exec(path) ?? [];
    const file = offered.find((one) => path === `/files/${one.file}`);
    if (file !== undefined) return response.writeHead(200, { 'content-length': file.bytes.length }).end(file.bytes);
    const links = offered.filter((one) => one.file.startsWith(`${name?.replaceAll('-', '_')}-`)).map(link);
    if (links.length === 0) return response.writeHead(404).end();
    return response
      .writeHead(200, { 'content-type': 'text/html' })
      .end(`<!DOCTYPE html><body>${links.join('')}</body>`);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  // The server listens on an address and a port, so this is not a pipe's name.
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/simple`,
    asked,
    close: async () => {
      const closed = new Promise<void>((resolve) => void server.close(() => resolve()));
      server.closeAllConnections();
      await closed;
    },
  };
}

function link({ file, bytes }: Distribution): string {
  return `<a href="/files/${file}#sha256=${createHash('sha256').update(bytes).digest('hex')}">${file}</a>`;
}
