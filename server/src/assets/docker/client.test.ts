import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import { connect, createServer as createSocketServer, type Server, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { testConfig } from '../../testing/config.ts';
import { ask, connectEngine, pingEngine } from './client.ts';
import { runInSandbox, sweepSandboxes } from '../workshop/sandbox.ts';
import { testInstallation } from '../workshop/test-installation.ts';

const config = testConfig();
const { engine, settings } = testInstallation(config);
let directory = '';

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'gantry-engine-'));
});
afterAll(() => rm(directory, { recursive: true }));

const at = (path: string) => connectEngine({ docker_host: `unix://${path}`, installation_id: engine.installation_id });

test("this machine's engine answers with its version", async () => {
  expect(await pingEngine(engine)).toMatchObject({ os: 'linux', api_version: expect.stringMatching(/^1\.\d+$/) });
});

test('a missing engine is refused with engine_unavailable', async () => {
  await expect(pingEngine(at(join(directory, 'nothing.sock')))).rejects.toMatchObject({
    code: 'engine_unavailable',
    detail: 'The container engine does not answer (ENOENT)',
  });
});

test('an old engine is refused with its version', async () => {
  const old = createServer((_, response) => {
    response.setHeader('Content-Type', 'application/json');
    response.end(JSON.stringify({ Version: '19.03', ApiVersion: '1.40', Os: 'linux', Arch: 'amd64' }));
  }).listen(join(directory, 'old.sock'));
  await once(old, 'listening');
  await expect(pingEngine(at(join(directory, 'old.sock')))).rejects.toMatchObject({
    code: 'engine_unavailable',
    detail: 'The container engine 19.03 has API 1.40; the oldest supported API is 1.41',
  });
  old.close();
});

test('a call to an engine that never answers ends', async () => {
  await expect(ask(new Promise(() => {}), { seconds: 0.05 })).rejects.toMatchObject({ code: 'engine_unavailable' });
  await expect(ask(new Promise(() => {}), { signal: AbortSignal.abort(new Error('stopped')) })).rejects.toThrow(
    'stopped',
  );
});

test('a command whose engine dies is refused with engine_unavailable', async () => {
  const { server, cut } = await relay(join(directory, 'relay.sock'), new URL(config.engine_host).pathname);
  const up = Promise.withResolvers<void>();
  const running = runInSandbox(at(join(directory, 'relay.sock')), {
    image: settings.base_image,
    command: ['/bin/sh', '-c', 'echo up >&2; sleep 30'],
    limits: settings.limits,
    onLog: () => up.resolve(),
    signal: AbortSignal.timeout(20_000),
  });
  await up.promise;
  cut();
  await expect(running).rejects.toMatchObject({ code: 'engine_unavailable' });
  server.close();
  // After the engine's return, the sandbox's container still exists, and the sweep removes it.
  const left = () =>
    engine.docker.listContainers({ filters: { label: [`gantry.installation=${engine.installation_id}`] } });
  expect(await left()).toHaveLength(1);
  await sweepSandboxes(engine);
  expect(await left()).toEqual([]);
});

test('a command that got no files is refused with engine_unavailable, even if the engine answers again at once', async () => {
  const path = join(directory, 'attach.sock');
  const { server } = await relay(path, new URL(config.engine_host).pathname, {
    breaksWhen: (answer) => answer.startsWith('HTTP/1.1 101'),
  });
  const running = runInSandbox(at(path), {
    image: settings.base_image,
    command: ['true'],
    limits: settings.limits,
    signal: AbortSignal.timeout(20_000),
  });
  await expect(running).rejects.toMatchObject({ code: 'engine_unavailable' });
  server.close();
});

/** A socket to the engine until the cut. One connection breaks when the engine's answer matches. */
async function relay(
  path: string,
  engineSocket: string,
  { breaksWhen = () => false }: { breaksWhen?: (answer: string) => boolean } = {},
): Promise<{ server: Server; cut: () => void }> {
  const sockets: Socket[] = [];
  const server = createSocketServer({ allowHalfOpen: true }, (client) => {
    const upstream = connect({ path: engineSocket, allowHalfOpen: true });
    for (const socket of [client, upstream]) socket.on('error', () => socket.destroy());
    client.pipe(upstream).pipe(client);
    upstream.on('data', (answer: Buffer) => {
      if (breaksWhen(answer.toString())) setImmediate(() => [client, upstream].forEach((socket) => socket.destroy()));
    });
    sockets.push(client, upstream);
  });
  server.listen(path);
  await once(server, 'listening');
  const cut = () => {
    server.close();
    for (const socket of sockets) socket.destroy();
  };
  return { server, cut };
}
