// The commands of docs/guide/targets/kubernetes.md, typed one after another on the cluster. Only the addresses of the page are replaced.
import { execFile } from 'node:child_process';
import { chmod, copyFile, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { svcProgram } from '../../cli/src/testing/run-svc.ts';
import { testConfig } from '../../server/src/testing/config.ts';
import { fillIn, missingLine, readGuide } from '../guide.ts';
import { testCluster } from './cluster.ts';
import { openTargetStage, type TargetStage } from './target-stage.ts';

const cluster = testCluster();
const namespace = 'agents';
const page = join(import.meta.dirname, '../../docs/guide/targets/kubernetes.md');
const commands = readGuide(await readFile(page, 'utf8'));
const words = new Map<string, string>();
let stage: TargetStage;
let home = '';
/** A `cd` of the page holds for its next commands. */
let folder = '';

beforeAll(async () => {
  stage = await openTargetStage(cluster);
  await stage.app.admin.client.call('teams.create', { body: { name: 'ml' } });
  home = folder = await mkdtemp(join(tmpdir(), 'gantry-test-'));
  await program('svc', `exec ${process.execPath} ${svcProgram} "$@"`);
  const kubectl = join(inject('kubernetes_programs'), 'kubectl');
  await program('kubectl', `exec ${kubectl} --kubeconfig=${cluster.kubeconfig} "$@"`);
  await copyFile(cluster.api.authority_file, join(home, 'ca.pem'));
});
afterAll(async () => {
  await stage?.stop();
  await cluster.kubectl('delete', 'namespace', namespace, '--ignore-not-found', '--wait=false');
  const shared = `${words.get('account')}-${namespace}`;
  await cluster.kubectl('delete', 'clusterrole,clusterrolebinding', shared, '--ignore-not-found');
  const admission = 'validatingadmissionpolicy,validatingadmissionpolicybinding';
  for (const made of ['images', 'record'])
    await cluster.kubectl('delete', admission, `gantry-${made}-of-${namespace}`, '--ignore-not-found');
  await rm(home, { recursive: true, force: true });
});

async function program(name: string, text: string): Promise<void> {
  await writeFile(join(home, name), `#!/bin/sh\n${text}\n`);
  await chmod(join(home, name), 0o755);
}

async function type(line: string): Promise<{ code: number; output: string }> {
  const env = {
    HOME: home,
    PATH: `${home}:${dirname(process.execPath)}:/usr/sbin:/usr/bin:/sbin:/bin`,
    DATA_DIR: join(home, 'data'),
    SERVICE_URL: stage.app.url,
    SERVICE_API_TOKEN: stage.app.admin.token,
  };
  const { promise, resolve } = Promise.withResolvers<{ code: number; output: string }>();
  const ends = `{ ${line}\n} < /dev/null 2>&1; code=$?; pwd > "$HOME/where"; exit $code`;
  const child = execFile('/bin/sh', ['-c', ends], { cwd: folder, env, timeout: 280_000 }, (_, output) =>
    resolve({ code: child.exitCode ?? -1, output }),
  );
  const ran = await promise;
  folder = (await readFile(join(home, 'where'), 'utf8')).trim();
  return ran;
}

/** The page's addresses are those of nobody. */
function here(text: string): string {
  return text
    .replaceAll('https://k8s.example.com:6443', cluster.api.url)
    .replaceAll('https://registry.example.com', cluster.registry.url)
    .replaceAll('https://door.example.com', stage.config['service_url'] ?? '')
    .replaceAll('http://10.0.0.5:4491', `http://${cluster.host}:${testConfig().egress_port}`);
}

test('the page has commands', () => expect(commands.length).toBeGreaterThan(20));

test.each(commands.map((command) => [`${command.line}: ${command.command}`, command] as const))(
  'line %s',
  async (_, { command, exits, prints }) => {
    const { code, output } = await type(here(fillIn(command, words)));
    const missing = missingLine(output, prints, words);
    expect({ code, missing, output: code === exits && missing === undefined ? '' : output }).toEqual({
      code: exits,
      missing: undefined,
      output: '',
    });
  },
  300_000,
);
