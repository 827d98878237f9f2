import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { testConfig } from '../../testing/config.ts';
import { startSecondEngine, type SecondEngine } from '../../testing/servers/second-engine.ts';
import { packArchive } from './archive.ts';
import { findImage, imagePin, type Pinned } from './base-image.ts';
import { connectEngine, type Engine } from './client.ts';

const image: Pinned = {
  Os: 'linux',
  Architecture: 'arm64',
  Variant: 'v8',
  RootFS: { Layers: ['sha256:1', 'sha256:2'] },
  Config: { Env: ['PATH=/bin', 'A=é'], User: 'app', WorkingDir: '/srv' },
};

test('the pin is the sha256 of the canonical JSON of layers, platform, environment, user and directory', () => {
  const canonical =
    '{"Env":["PATH=/bin","A=é"],"User":"app","WorkingDir":"/srv","architecture":"arm64","os":"linux","rootfs":{"diff_ids":["sha256:1","sha256:2"]},"variant":"v8"}';
  expect(imagePin(image)).toBe(`sha256:${createHash('sha256').update(canonical).digest('hex')}`);
});

test('a field that one engine omits and another shows as empty gives the same pin', () => {
  const pin = imagePin({ ...image, Variant: undefined, Config: {} });
  expect(imagePin({ ...image, Variant: '', Config: { Env: null, User: '', WorkingDir: '', Volumes: null } })).toBe(pin);
  expect(imagePin({ ...image, Variant: '', Config: { Env: [], Volumes: {}, Shell: [], StopSignal: '' } })).toBe(pin);
});

test('whatever an image passes to the containers of agents is in its pin', () => {
  const changed: Pinned[] = [
    { ...image, Os: 'windows' },
    { ...image, Architecture: 'amd64' },
    { ...image, Variant: 'v7' },
    { ...image, RootFS: { Layers: ['sha256:2', 'sha256:1'] } },
    { ...image, RootFS: {} },
    ...[
      { Env: ['A=é', 'PATH=/bin'] },
      { User: 'root' },
      { WorkingDir: '/' },
      { Healthcheck: { Test: ['CMD-SHELL', 'cat /run/secrets/*'] } },
      { Shell: ['/srv/shell', '-c'] },
      { StopSignal: 'SIGKILL' },
      { Volumes: { '/app': {} } },
    ].map((fields) => ({ ...image, Config: { ...image.Config, ...fields } })),
  ];
  const pins = [image, ...changed].map(imagePin);
  expect(new Set(pins).size).toBe(pins.length);
});

const here = connectEngine({ docker_host: testConfig().engine_host, installation_id: crypto.randomUUID() });
const name = `gantry-pin-test:${here.installation_id}`;
let there: SecondEngine;

beforeAll(async () => {
  there = await startSecondEngine();
});
afterAll(async () => {
  await here.docker.getImage(name).remove();
  await there?.stop();
});

test('two engines agree on the pin of an exported and imported image, and of one that each made itself', async () => {
  await make(here, ['ENV A=é', 'WORKDIR /srv', 'LABEL from=here']);
  const exported = await here.docker.getImage(name).get();
  await text(await there.engine.docker.loadImage(exported));
  const [first, imported] = [await findImage(here, name), await findImage(there.engine, name)];
  expect(imported?.pin).toBe(first?.pin);

  await make(there.engine, ['ENV A=é', 'WORKDIR /srv', 'LABEL from=there']);
  const made = await findImage(there.engine, name);
  expect(made?.id).not.toBe(first?.id);
  expect(made?.pin).toBe(first?.pin);
});

async function make({ docker }: Engine, changes: string[]): Promise<void> {
  const [repo, tag] = name.split(':');
  const layer = Readable.from([packArchive([{ path: 'hello', content: 'hello' }])]);
  await text(await docker.importImage(layer, { repo, tag, changes }));
}
