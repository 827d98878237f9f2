import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Engine } from '../server/src/assets/docker/client.ts';
import { label } from '../server/src/assets/docker/labels.ts';
import { modelUpstream, type ModelUpstream } from '../server/src/testing/models/model-upstream.ts';
import { engineOf } from './engine-of.ts';
import { fillIn, missingLine, readGuide } from './guide.ts';
import { install, type OwnInstallation } from './installation.ts';
import { openShell, type Shell } from './shell.ts';

const clone = join(import.meta.dirname, '..');

// As one new user types them: in the order of the README, in one terminal, on one installation that the README's first command made.
const pages = [
  'first-agent.md',
  'operate.md',
  'your-project.md',
  'secrets.md',
  'models-and-budgets.md',
  'guardrails-and-traces.md',
  'agents-together.md',
  'tools.md',
  'prompts.md',
  'memory.md',
  'knowledge.md',
  'skills.md',
  'clients.md',
  'langgraph-sdk.md',
  'governance.md',
  'console.md',
  'pipelines.md',
  'service.md',
];
let installation: OwnInstallation;
let engine: Engine;
let ollama: ModelUpstream;
let shell: Shell;
let person = 'admin';
beforeAll(async () => {
  // The guide's Ollama, at its usual port.
  ollama = await modelUpstream(undefined, { port: 11_434 });
  installation = await install({ OUTBOUND_PRIVATE_HOSTS: ollama.host }, { by: 'quickstart' });
  ({ engine } = await engineOf(installation));
  shell = await openShell(installation);
});
afterAll(async () => {
  shell?.close();
  await installation?.stop();
  await ollama?.stop();
});

/** As docs/guide/first-agent.md says for one terminal. */
async function become(as: string): Promise<void> {
  if (as === person) return;
  person = as;
  await shell.type(as === 'admin' ? 'export HOME=${GUIDE%/guide}' : `mkdir -p $GUIDE/${as}; export HOME=$GUIDE/${as}`);
}

test('the README begins with the command that made this installation, and every page of the guide is typed here', async () => {
  const readme = await readFile(join(clone, 'README.md'), 'utf8');
  expect(readme).toMatch(/^# Gantry\n\n```sh\nnpm run quickstart /);
  // The README and the first page name the pages in the order in which they are typed.
  expect([...readme.matchAll(/^\| \[docs\/guide\/([\w-]+\.md)\]/gm)].map(([, page]) => page)).toEqual(pages);
  const [, order = ''] =
    /Their order is this\s+page,([\s\S]*?)\.\n/.exec(
      await readFile(join(clone, 'docs/guide', pages[0] ?? ''), 'utf8'),
    ) ?? [];
  expect([...order.matchAll(/\(([\w-]+\.md)\)/g)].map(([, page]) => page)).toEqual(pages.slice(1));
  // The guide's other files are the configuration of nginx, which e2e/roles.test.ts runs, and the dashboard for Grafana.
  const written = (await readdir(join(clone, 'docs/guide'))).filter((name) => name.endsWith('.md'));
  expect(written.toSorted()).toEqual(pages.toSorted());
});

describe.each(pages)('every command of docs/guide/%s does what the guide says', async (page) => {
  const commands = readGuide(await readFile(join(clone, 'docs/guide', page), 'utf8'));
  const words = new Map<string, string>();

  test.each(commands.map((command) => [`${command.line}: ${command.as} types ${command.command}`, command] as const))(
    '%s',
    async (_, { as, command, exits, prints }) => {
      await become(as);
      const ran = await shell.type(fillIn(command, words));
      expect(ran).toEqual({ code: exits, output: expect.anything() });
      const { output } = ran;
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
