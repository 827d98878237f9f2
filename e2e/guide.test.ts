import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Engine } from '../server/src/engine/client.ts';
import { label } from '../server/src/engine/labels.ts';
import { modelUpstream, type ModelUpstream } from '../server/src/testing/model-upstream.ts';
import { engineOf } from './engine-of.ts';
import { fillIn, missingLine, readGuide } from './guide.ts';
import { install, type Installation } from './installation.ts';
import { openShell, type Shell } from './shell.ts';

const clone = join(import.meta.dirname, '..');

// As a new user types them: all on one installation, made by the README's first command.
const pages = [
  'first-agent.md',
  'operate.md',
  'your-project.md',
  'secrets.md',
  'models-and-budgets.md',
  'guardrails-and-traces.md',
  'agents-together.md',
  'governance.md',
  'console.md',
  'pipelines.md',
  'service.md',
];
let installation: Installation;
let engine: Engine;
let ollama: ModelUpstream;
beforeAll(async () => {
  // The guide's Ollama, at its usual port.
  ollama = await modelUpstream(undefined, { port: 11_434 });
  installation = await install({ OUTBOUND_PRIVATE_HOSTS: ollama.host }, { by: 'quickstart' });
  ({ engine } = await engineOf(installation));
});
afterAll(async () => {
  await installation?.stop();
  await ollama?.stop();
});

test('the README begins with the command that made this installation, and every page of the guide is typed here', async () => {
  expect(await readFile(join(clone, 'README.md'), 'utf8')).toMatch(/^# Gantry\n\n```sh\nnpm run quickstart /);
  // The guide's other files are the configuration of nginx, which e2e/roles.test.ts runs, and the dashboard for Grafana.
  const written = (await readdir(join(clone, 'docs/guide'))).filter((name) => name.endsWith('.md'));
  expect(written.toSorted()).toEqual(pages.toSorted());
});

describe.each(pages)('every command of docs/guide/%s does what the guide says', async (page) => {
  const commands = readGuide(await readFile(join(clone, 'docs/guide', page), 'utf8'));
  const words = new Map<string, string>();
  const shells = new Map<string, Shell>();
  beforeAll(async () => {
    for (const { as } of commands) if (!shells.has(as)) shells.set(as, await openShell(installation));
  });
  afterAll(() => shells.forEach((shell) => shell.close()));

  test.each(commands.map((command) => [`${command.line}: ${command.as} types ${command.command}`, command] as const))(
    '%s',
    async (_, { as, command, exits, prints }) => {
      const ran = await shells.get(as)?.type(fillIn(command, words));
      expect(ran).toEqual({ code: exits, output: expect.anything() });
      const output = ran?.output ?? '';
      const missing = missingLine(output, prints, words);
      expect({ missing, output: missing === undefined ? '' : output }).toEqual({ missing: undefined, output: '' });
    },
  );
});

test('the removal at the end of the last page has left nothing in the container engine', async () => {
  const { docker, installation_id } = engine;
  const filters = { label: [`${label.installation}=${installation_id}`] };
  const { Volumes } = await docker.listVolumes({ filters: JSON.stringify(filters) });
  expect({
    containers: await docker.listContainers({ all: true, filters }),
    images: await docker.listImages({ filters }),
    networks: await docker.listNetworks({ filters }),
    volumes: Volumes ?? [],
  }).toEqual({ containers: [], images: [], networks: [], volumes: [] });
});
