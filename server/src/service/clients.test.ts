// Follows docs/clients.md as a reader would: writes its files and runs its commands against a running service.
// The generators are not packages of the clone: openapi-typescript needs TypeScript 5, and the clone has 7.
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { runCommand } from '../../../setup/command.js';
import { cloneEnvironment, cloneFolder } from '../../../setup/config.js';
import { ensureUv, uvEnvironment } from '../../../setup/packages/python.js';
import { storeAgent } from '../testing/stored/stored-agent.ts';
import { testApp, type TestApp, type TestUser } from '../testing/test-app.ts';

// The first run downloads the generators, and a busy machine takes minutes instead of seconds.
const timeout_seconds = 300;

let app: TestApp;
let ada: TestUser;
let folder: string;
let page: string;
let uv: string;
beforeAll(async () => {
  app = await testApp();
  ada = await app.user('ada@example.com', { teams: { ml: 'contributor' } });
  await storeAgent(app, ada.email, { name: 'greeter', team: 'ml' });
  folder = await mkdtemp(join(tmpdir(), 'gantry-clients-'));
  page = await readFile(join(cloneFolder, 'docs/clients.md'), 'utf8');
  uv = await ensureUv(() => {});
});
afterAll(async () => {
  await rm(folder, { recursive: true, force: true });
  await app?.stop();
});

test.concurrent(
  'with the types of openapi-typescript a client compiles, lists agents and reads a refusal',
  async () => {
    const typed = await follow('TypeScript');
    expect(await typed(/^(npm|npx) /)).toMatchObject([{ exit_code: 0 }, { exit_code: 0 }]);
    await writeFile(typed.path('wrong.mts'), wrong);
    const compile = [
      'tsc',
      '--noEmit',
      '--strict',
      '--module',
      'nodenext',
      '--types',
      'node',
      '--typeRoots',
      typeRoots,
    ];
    expect(await typed.run([...compile, 'agents.mts', 'wrong.mts'])).toEqual({ exit_code: 0, output: '' });
    expect(await typed(/^node /)).toEqual([{ exit_code: 0, output: 'greeter not_deployed\n' }]);
    const [refused] = await typed(/^node /, { SERVICE_TOKEN: 'garbage' });
    expect(refused).toMatchObject({ exit_code: 1, output: expect.stringContaining('unauthenticated: ') as string });
  },
  timeout_seconds * 1000,
);

test.concurrent(
  'openapi-python-client generates a whole client, which lists agents and reads a refusal',
  async () => {
    const typed = await follow('Python');
    const [generated] = await typed(/^uvx /);
    // A warning names an endpoint or an answer that is missing in the client.
    expect(generated).toEqual({ exit_code: 0, output: expect.not.stringMatching(/warning/i) as string });
    expect(await typed(/^uv /)).toEqual([
      { exit_code: 0, output: expect.stringMatching(/^greeter not_deployed$/m) as string },
    ]);
    const [refused] = await typed(/^uv /, { SERVICE_TOKEN: 'garbage' });
    expect(refused).toMatchObject({ exit_code: 1, output: expect.stringContaining('unauthenticated: ') as string });
  },
  timeout_seconds * 1000,
);

const typeRoots = join(cloneFolder, 'node_modules/@types');

// No line may compile: the types contain only the service's endpoints, kinds, fields and codes.
const wrong = `import createClient from 'openapi-fetch';
import type { components, paths } from './gantry.d.ts';

const client = createClient<paths>({ baseUrl: '' });
// @ts-expect-error
await client.GET('/api/v1/nothing');
// @ts-expect-error
await client.GET('/api/v1/registry/{kind}', { params: { path: { kind: 'nothing' } } });
// @ts-expect-error
await client.POST('/api/v1/teams', { body: { title: 'ml' } });
const { data, error } = await client.GET('/api/v1/registry/{kind}', { params: { path: { kind: 'agent' } } });
// @ts-expect-error
export const never = error?.code === 'nothing';
// @ts-expect-error
export const number: number | undefined = data?.data[0]?.name;
export const problem: components['schemas']['Problem'] | undefined = error;
export const asset: components['schemas']['Asset'] | undefined = data?.data[0];
`;

/** Writes the files below a heading of the page into a new folder. Returns a function that runs the matching commands. */
async function follow(heading: string) {
  const blocks = [
    ...(page.split(/^## /m).find((part) => part.startsWith(heading)) ?? '').matchAll(/^```(\w+)\n(.*?)^```$/gms),
  ];
  const home = join(folder, heading);
  await mkdir(home);
  for (const [, , text = ''] of blocks) {
    const name = /^(?:\/\/|#) (\S+\.\w+)\n/.exec(text)?.[1];
    if (name !== undefined) await writeFile(join(home, name), text);
  }
  // npm installs into the nearest parent folder with a package.json.
  await writeFile(join(home, 'package.json'), '{}');
  const commands = blocks
    .filter(([, language]) => language === 'sh')
    .flatMap(([, , text = '']) => text.trim().split('\n'));
  const run = async (argv: string[], more: Record<string, string> = {}) => {
    const env = cloneEnvironment({
      ...(await uvEnvironment()),
      SERVICE_URL: app.url,
      SERVICE_TOKEN: ada.token,
      ...more,
    });
    return await runCommand(argv, {
      cwd: home,
      env: { ...env, PATH: [env['PATH'], dirname(uv)].join(delimiter) },
      timeout_seconds,
    });
  };
  const type = async (which: RegExp, more: Record<string, string> = {}) => {
    const results = [];
    for (const command of commands.filter((command) => which.test(command)))
      results.push(await run(['sh', '-c', command], more));
    return results;
  };
  return Object.assign(type, { run, path: (name: string) => join(home, name) });
}
