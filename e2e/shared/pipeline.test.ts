// The pipeline of docs/guide/pipelines.md, run unchanged: a service principal pushes, requests the approval, waits for an admin, and
// deploys.
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import type { Client } from '@gantry/contract/client/client.ts';
import type { Approval } from '@gantry/contract/agents/approvals.ts';
import { adminOf, latestDeployment } from '../api.ts';
import { callAgent } from '../call-agent.ts';
import type { Installation, Ran } from '../installation.ts';
import { agentYaml, echo, writeProject } from '../write-project.ts';
import { sharedInstallation } from './shared-installation.ts';
import { teams } from './teams.ts';

const guide = await readFile(join(import.meta.dirname, '../../docs/guide/pipelines.md'), 'utf8');
const script = /```bash\n([\s\S]*?)```/.exec(guide)?.[1]?.trim() ?? '';

let gantry: Installation;
let admin: Client;
let key = '';

beforeAll(async () => {
  gantry = await sharedInstallation('nightly', teams.langgraph);
  admin = await adminOf(gantry);
  await gantry.person('pam');
  await gantry.must(`svc team add ${gantry.team} user:pam@example.com --role contributor`);
  const { stdout } = await gantry.must(
    `svc principal create --name ci --team ${gantry.team} --role deployer --allowed-assets "agents/*" --json`,
  );
  key = (JSON.parse(stdout) as { key: string }).key;
  await project('1.0.0');
});

const yaml = (version: string) =>
  agentYaml('nightly', 'owner: pam@example.com\n', gantry.team).replace('1.0.0', version);
const project = async (version: string) => await writeProject(gantry, 'nightly', { 'agent.yaml': yaml(version) });
const run = async (message: string): Promise<Ran> =>
  await gantry.type(script, { as: 'pipeline', env: { SERVICE_API_KEY: key, CI_MESSAGE: message } });
async function pending(): Promise<Approval> {
  const find = async () =>
    (await admin.call('approvals.list', { query: { status: 'pending', asset: 'agents/nightly' } })).items[0];
  await expect.poll(find, { timeout: 90_000 }).toBeDefined();
  return (await find()) as Approval; // the line above
}

test('both examples of the guide run exactly its script', () => {
  expect(script).toContain('svc deploy');
  expect(guide.split('\n').filter((line) => line.trim().replace(/^- /, '') === script)).toHaveLength(3);
});

test('its push belongs to the member in agent.yaml; it waits, and deploys the approved version', async () => {
  const running = run('the first one');
  const request = await pending();
  expect(request).toMatchObject({ asset: 'agents/nightly', submitted_by: 'principal:ci', message: 'the first one' });
  expect(await admin.call('registry.show', { params: { kind: 'agent', name: 'nightly' } })).toMatchObject({
    owner: 'pam@example.com',
  });
  expect((await admin.call('deployments.list', { query: { agent: 'nightly' } })).items).toEqual([]);
  // The key's creator may not decide its requests, because they could have made them.
  const own = await gantry.type(`svc review approve ${request.id}`);
  expect(own.code).toBe(1);
  expect(own.output).toContain('you were shown its key');
  await gantry.person('root', 'admin');
  await gantry.must(`svc review approve ${request.id} --reason "fine"`, { as: 'root' });
  const { code, output } = await running;
  expect(code, output).toBe(0);
  expect((await latestDeployment(admin, 'nightly')).state).toBe('done');
  const asked = await callAgent(`${gantry.url}/agents/nightly`, await gantry.token()).ask({ said: 'hello' });
  expect(asked).toMatchObject({ json: { output: { said: 'hello' } } });
});

test('a repeated run does nothing twice', async () => {
  const { code, output } = await run('the same again');
  expect(code, output).toBe(0);
  expect(output).toContain('already answers with exactly this content; nothing was done');
  expect((await admin.call('deployments.list', { query: { agent: 'nightly' } })).items).toHaveLength(1);
  expect((await admin.call('approvals.list', { query: { asset: 'agents/nightly' } })).items).toHaveLength(1);
});

test('after an interruption it continues with the same request; a rejection ends it with the reason', async () => {
  await project('1.1.0');
  const interrupted = await gantry.begin(script, { as: 'pipeline', env: { SERVICE_API_KEY: key, CI_MESSAGE: 'next' } });
  const request = await pending();
  interrupted.kill('SIGKILL');
  const running = run('next');
  await gantry.must(`svc review reject ${request.id} --reason "not on a Friday"`, { as: 'root' });
  const { code, output } = await running;
  expect(code, output).toBe(1);
  expect(output).toContain('not on a Friday');
  expect((await admin.call('approvals.list', { query: { asset: 'agents/nightly' } })).items).toHaveLength(2);
});

test('it can neither push nor read assets outside its globs', async () => {
  await gantry.must('svc principal update ci --allowed-assets "agents/web-*"');
  const { code, output } = await run('once more');
  expect(code).toBe(1);
  expect(output).not.toContain('pam@example.com');
  const typing = { as: 'pipeline', in: 'nightly', env: { SERVICE_API_KEY: key } };
  await writeFile(join(gantry.directory, 'nightly/agent.yaml'), yaml('1.0.0').replace('nightly', 'other'));
  const other = await gantry.type('svc submit', typing);
  expect(other.output).toContain('agents/other is outside the allowed assets of principal:ci');
  await writeFile(join(gantry.directory, 'nightly/agent.yaml'), yaml('1.0.0').replace('nightly', 'web-greeter'));
  await writeFile(join(gantry.directory, 'nightly/agent.py'), echo);
  await gantry.must('svc submit', typing);
});
