// With the real engine and a real registry. A small server before the registry asks for passwords and tokens, and counts.
import { once } from 'node:events';
import { createServer, request, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { readFile } from 'node:fs/promises';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { openOutbound } from '../../ground/outbound/outbound.ts';
import { testConfig } from '../../testing/config.ts';
import { startImageRegistry, type ImageRegistry } from '../../testing/servers/image-registry.ts';
import { findBaseImage } from '../docker/base-image.ts';
import { labelsFor } from '../docker/labels.ts';
import { testInstallation } from '../workshop/test-installation.ts';
import { writeConfig } from './image-config.ts';
import { writeLayer } from './layer.ts';
import { loadImage } from './load-image.ts';
import { pushImage } from './push-image.ts';
import type { Registry } from './registry-client.ts';

const { engine, settings } = testInstallation(testConfig());
const signal = () => AbortSignal.timeout(120_000);
const outbound = openOutbound({ private_hosts: ['127.0.0.1'] });
const credential = { username: 'pusher', password: 'correct horse' };
const basic = `Basic ${Buffer.from('pusher:correct horse').toString('base64')}`;
let registry: ImageRegistry;
let front: Server;
/** What the server in front asks for. */
let asks: 'nothing' | 'basic' | 'bearer' = 'nothing';
let seen: { method: string; path: string; authorization: string | undefined }[] = [];
let id = '';
let layers: string[] = [];

beforeAll(async () => {
  registry = await startImageRegistry();
  front = createServer(answer).listen(0, '127.0.0.1');
  await once(front, 'listening');
  id = await makeImage('first');
}, 120_000);
beforeEach(() => {
  asks = 'nothing';
  seen = [];
});
afterAll(async () => {
  front.close();
  await registry.stop();
  await outbound.close();
  for (const name of ['first', 'second'])
    await engine.docker.getImage(`svc-test:${mark(name)}`).remove({ force: true });
});

const mark = (name: string) => `${name}-${engine.installation_id}`;

/** The base image with one file. */
async function makeImage(content: string): Promise<string> {
  const base = await findBaseImage(engine, settings.base_image);
  const below = await engine.docker.getImage(base.id).inspect();
  const layer = writeLayer([{ folder: 'app', files: new Map([['content', Buffer.from(content)]]) }]);
  const config = writeConfig(below, {
    labels: labelsFor(engine, 'test'),
    diff_ids: [layer.diff_id],
    contents: 'a test',
  });
  layers = [...(below.RootFS.Layers ?? []), layer.diff_id];
  return await loadImage(engine, {
    config,
    below,
    layers: [layer],
    name: `svc-test:${mark(content)}`,
    signal: signal(),
  });
}

function answer(asked: IncomingMessage, reply: ServerResponse): void {
  const { method = '', url = '', headers } = asked;
  seen.push({ method, path: url, authorization: headers.authorization });
  if (url.startsWith('/token')) {
    reply.writeHead(headers.authorization === basic ? 200 : 401).end(JSON.stringify({ token: 'a-token' }));
    return;
  }
  const expected = { nothing: headers.authorization, basic, bearer: 'Bearer a-token' }[asks];
  if (headers.authorization !== expected) {
    const own = `http://127.0.0.1:${(front.address() as AddressInfo).port}`; // it listens on a port
    const bearer = `Bearer realm="${own}/token",service="registry",scope="repository:everything:*"`;
    reply.writeHead(401, { 'www-authenticate': asks === 'basic' ? 'Basic realm="registry"' : bearer }).end();
    return;
  }
  const [host, port] = registry.address.split(':');
  const forwarded = request({ host, port, method, path: url, headers }, (from) => {
    reply.writeHead(from.statusCode ?? 502, from.headers);
    from.pipe(reply);
  });
  asked.pipe(forwarded);
}

const at = (changes: Partial<Registry> = {}): Registry => ({
  url: `http://127.0.0.1:${(front.address() as AddressInfo).port}`, // it listens on a port
  repository: 'team/agents',
  outbound,
  ...changes,
});

const sent = () => seen.filter(({ method, path }) => method === 'PUT' && path.includes('/blobs/uploads/')).length;

test('a pushed image is pulled by its manifest digest, and is the same image', async () => {
  const { digest, platform } = await pushImage(at(), { engine, id }, signal());
  expect(platform).toMatch(/^linux\/(amd64|arm64)/);
  expect(sent()).toBe(layers.length + 1);
  const manifest = JSON.parse(await readFile(registry.blob(digest), 'utf8')) as {
    config: { digest: string };
    layers: { digest: string }[];
  };
  expect(manifest.config.digest).toBe(id);
  expect(manifest.layers.map((layer) => layer.digest)).toEqual(layers);
  await engine.docker.getImage(id).remove({ force: true });
  const name = `${registry.address}/team/agents@${digest}`;
  const { promise, resolve } = Promise.withResolvers<unknown>();
  engine.docker.modem.followProgress(await engine.docker.pull(name), resolve);
  expect(await promise).toBeNull();
  expect((await engine.docker.getImage(name).inspect()).Id).toBe(id);
  await engine.docker.getImage(id).tag({ repo: 'svc-test', tag: mark('first') });
}, 120_000);

test('a repeated push sends no layer and has the same digest, and another image sends only its own', async () => {
  const before = await pushImage(at(), { engine, id }, signal());
  expect(sent()).toBe(0);
  const second = await makeImage('second');
  const after = await pushImage(at(), { engine, id: second }, signal());
  expect(sent()).toBe(2);
  expect(after.digest).not.toBe(before.digest);
  expect(await pushImage(at(), { engine, id }, signal())).toEqual(before);
}, 120_000);

test('layers in another repository of the registry are mounted, and not sent', async () => {
  const { digest } = await pushImage(at(), { engine, id }, signal());
  seen = [];
  const other = await pushImage(
    at({ repository: 'other/agents', mount_from: 'team/agents' }),
    { engine, id },
    signal(),
  );
  expect(other.digest).toBe(digest);
  expect(sent()).toBe(0);
  expect(seen.filter(({ path }) => path.includes('mount=')).length).toBe(layers.length + 1);
}, 120_000);

test.each(['basic', 'bearer'] as const)(
  'a registry that asks for %s gets the password, and a wrong one is refused',
  async (way) => {
    asks = way;
    await pushImage(at({ credential }), { engine, id }, signal());
    expect(seen.filter(({ path }) => path.startsWith('/token')).map(({ path }) => path)).toEqual(
      way === 'basic' ? [] : ['/token?service=registry&scope=repository%3Ateam%2Fagents%3Apull%2Cpush'],
    );
    if (way === 'bearer')
      expect(seen.filter(({ authorization, path }) => authorization === basic && !path.startsWith('/token'))).toEqual(
        [],
      );
    const wrong = at({ credential: { ...credential, password: 'wrong' } });
    await expect(pushImage(wrong, { engine, id }, signal())).rejects.toMatchObject({
      code: 'start_failed',
      detail: expect.stringMatching(/answered 401/),
    });
  },
  120_000,
);

test('a registry that names a token server without TLS elsewhere gets no password', async () => {
  const other = createServer((_, reply) => reply.writeHead(200).end('{"token":"a-token"}')).listen(0, '127.0.0.1');
  await once(other, 'listening');
  let reached = 0;
  other.on('request', () => (reached += 1));
  const { port } = other.address() as AddressInfo; // it listens on a port
  const hostile = createServer((_, reply) =>
    reply.writeHead(401, { 'www-authenticate': `Bearer realm="http://127.0.0.1:${port}/token"` }).end(),
  ).listen(0, '127.0.0.1');
  await once(hostile, 'listening');
  const url = `http://127.0.0.1:${(hostile.address() as AddressInfo).port}`; // it listens on a port
  await expect(pushImage(at({ url, credential }), { engine, id }, signal())).rejects.toMatchObject({
    detail: expect.stringContaining('it names no safe address for tokens'),
  });
  expect(reached).toBe(0);
  hostile.close();
  other.close();
});

test('a password is not sent over plain http to another machine', async () => {
  const url = 'http://registry.example';
  await expect(pushImage(at({ url, credential }), { engine, id }, signal())).rejects.toMatchObject({
    detail: 'The image cannot be pushed to registry.example: a password is sent over https only',
  });
});

test('a registry at a private address that is not listed is not reached', async () => {
  const guarded = openOutbound({ private_hosts: [] });
  await expect(pushImage(at({ outbound: guarded }), { engine, id }, signal())).rejects.toThrow(/private|127\.0\.0\.1/);
  expect(seen).toEqual([]);
  await guarded.close();
});
