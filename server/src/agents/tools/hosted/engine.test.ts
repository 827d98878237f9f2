// A hosted MCP server in a real container, from a package of a test index: what it has, what it reaches, and what it leaves.
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { readdir, readFile } from 'node:fs/promises';
import { networkInterfaces } from 'node:os';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { secretsDirectory } from '../../../containers.ts';
import { connectEngine, type Engine } from '../../../assets/docker/client.ts';
import { ownedBy } from '../../../assets/docker/labels.ts';
import { sandbox_user } from '../../../assets/workshop/sandbox.ts';
import { installationId } from '../../../people/principals/find.ts';
import { hostedStage, type HostedStage } from '../../../testing/agents/hosted-stage.ts';
import { testConfig } from '../../../testing/config.ts';
import { makeWheel } from '../../../testing/servers/make-wheel.ts';
import { startPackageIndex, type PackageIndex } from '../../../testing/servers/package-index.ts';
import { side_script } from '../../../testing/servers/side-programs.ts';
import { side_purpose } from './engine-runner.ts';

const secret = 'the token of the side\n';
const lines: string[] = [];
let index: PackageIndex;
let outside: Server;
let allowed: string;
let stage: HostedStage;
let engine: Engine;
beforeAll(async () => {
  const program = await readFile(side_script, 'utf8');
  index = await startPackageIndex([
    makeWheel('side', '1.0', {
      'side.py': program,
      'side-1.0.dist-info/entry_points.txt': '[console_scripts]\nside = side:main\n',
    }),
  ]);
  // A program never asks the proxy for 127.0.0.1.
  const address = Object.values(networkInterfaces())
    .flatMap((some) => some ?? [])
    .find(({ internal, family }) => !internal && family === 'IPv4')?.address;
  outside = createServer((_, answer) => void answer.end('reached')).listen(0, address);
  await new Promise((resolve) => outside.once('listening', resolve));
  const { port } = outside.address() as AddressInfo; // it listens on a port
  allowed = `${address}:${port}`;
  const { build, engine_host } = testConfig();
  stage = await hostedStage({
    config: { secrets: ['SIDE_TOKEN'], env_vars: { PLACE: 'here' }, egress: [allowed] },
    secrets: { SIDE_TOKEN: secret },
    app: {
      engine_host,
      outbound_private_hosts: [allowed],
      build: { ...build, extra_index_urls: [index.url] },
    },
    onLog: (line) => lines.push(line),
  });
  engine = connectEngine({ docker_host: engine_host, installation_id: await installationId(stage.app.db) });
}, 180_000);
afterAll(async () => {
  await stage?.close();
  await index?.close();
  outside?.close();
}, 60_000);

const containers = async () =>
  await engine.docker.listContainers({ all: true, filters: ownedBy(engine, side_purpose) });

test('its list comes from a container that ended with it', async () => {
  // The engine is still removing it when the list is there.
  await expect.poll(containers).toEqual([]);
  const { hosted } = await stage.ada.client.call('tools.show', { params: { name: 'side' } });
  expect(hosted).toMatchObject({
    image: expect.stringMatching(/^sha256:/) as string,
    components: [{ name: 'side', version: '1.0' }],
    running: 0,
  });
});

test('it is walled in: no user, no root file system, no host, and no secret in the records of the engine', async () => {
  const ada = await stage.caller(stage.ada.email);
  const { text } = await ada.call('look');
  const seen = JSON.parse(text) as Record<string, unknown> & { variables: Record<string, string> };
  expect(seen).toMatchObject({ user: sandbox_user, writable: ['/tmp'], reached: [] });
  // The service hides the secret in an answer, so this says that the program has it.
  expect(seen.variables).toMatchObject({ PLACE: 'here', SIDE_TOKEN: '***' });
  const [container, ...others] = await containers();
  expect(others).toEqual([]);
  const inspected = await engine.docker.getContainer(container?.Id ?? '').inspect();
  expect(JSON.stringify(inspected)).not.toContain('the token of the side');
  expect(inspected).toMatchObject({
    Config: { User: `${sandbox_user}:${sandbox_user}` },
    HostConfig: {
      ReadonlyRootfs: true,
      CapDrop: ['ALL'],
      SecurityOpt: ['no-new-privileges'],
      PortBindings: {},
      PidsLimit: 128,
      Memory: 256 * 1024 ** 2,
      LogConfig: { Type: 'none' },
    },
  });
  await ada.close();
});

test('it reaches a listed destination, and neither another one nor the service', async () => {
  const ada = await stage.caller(stage.ada.email);
  expect((await ada.call('fetch', `http://${allowed}/`)).text).toBe('reached');
  expect((await ada.call('fetch', 'http://elsewhere.example/')).text).toMatch(
    /refused: .*is not in `egress` of the config/,
  );
  const { port } = new URL(stage.door);
  const [container] = await containers();
  const [network] = Object.values(container?.NetworkSettings.Networks ?? {});
  for (const address of [network?.Gateway ?? '', '127.0.0.1'])
    expect((await ada.call('fetch', `http://${address}:${port}/mcp`)).text).toMatch(/^refused: /);
  expect((await ada.call('dial', `${network?.Gateway}:${port}`)).text).toBe('closed');
  expect((await ada.call('dial', `${network?.Gateway}:${new URL(stage.app.url).port}`)).text).toBe('closed');
  expect(lines.some((line) => line.includes('elsewhere.example:80') && line.includes('mcp-servers/side'))).toBe(true);
  await ada.close();
}, 60_000);

test('without a list it has no network', async () => {
  await stage.ada.client.call('registry.create', {
    params: { kind: 'mcp-server' },
    body: { name: 'alone', team: 'ml', config: { package: 'pypi:side==1.0', env_vars: { SHOWS: 'interfaces' } } },
  });
  const { added } = await stage.ada.client.call('tools.look', { params: { name: 'alone' } });
  expect(added[0]?.description).toBe('lo');
}, 60_000);

test('more memory than its limit ends it, and the refusal says so', async () => {
  const ada = await stage.caller(stage.ada.email);
  expect((await ada.call('swallow')).text).toContain('it needed more than its 256 MB of memory');
  expect(await ada.call('keep', 'again')).toMatchObject({ text: 'again' });
  await ada.close();
}, 60_000);

test('a stop leaves no container, no row and no secret', async () => {
  const directory = await secretsDirectory(engine.installation_id);
  expect(await containers()).toHaveLength(1);
  expect(await readdir(directory)).toHaveLength(1);
  await stage.app.stopFirst();
  expect(await containers()).toEqual([]);
  expect(await readdir(directory)).toEqual([]);
});
