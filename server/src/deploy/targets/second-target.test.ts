// An agent on two targets: the machine's engine, and another engine that gets its images through a registry.
import { readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Deployment } from '@gantry/contract/deploy.ts';
import { sql } from '../../database/sql.ts';
import { answered, connectEngine, type Engine } from '../../engine/client.ts';
import { label } from '../../engine/labels.ts';
import { ensureNetwork } from '../../engine/networks.ts';
import { installationId } from '../../principals/find.ts';
import { testConfig } from '../../testing/config.ts';
import { removeLeftovers } from '../../testing/engine-leftovers.ts';
import { startImageRegistry, type ImageRegistry } from '../../testing/image-registry.ts';
import { projectOf } from '../../testing/project-archive.ts';
import { remoteEngineTarget, type RemoteEngineSettings } from '../../testing/remote-engine-target.ts';
import { startSecondEngine, type SecondEngine } from '../../testing/second-engine.ts';
import { testApp, type TestApp } from '../../testing/test-app.ts';
import { memoryDirectory } from './secret-directory.ts';
import type { Target } from './target.ts';

const name = 'traveller';
const params = { name };
let second: SecondEngine;
let registry: ImageRegistry;
let first: Engine;
/** The second engine, with the objects of the same installation. */
let theirs: Engine;
let settings: RemoteEngineSettings;
let remote: Target;
let app: TestApp;
let secrets_directory: string;
/** That the first test built. */
let image = '';

beforeAll(async () => {
  second = await startSecondEngine();
  registry = await startImageRegistry();
  secrets_directory = join((await memoryDirectory()) ?? '', `gantry-test-${second.engine.installation_id}`);
  const config = testConfig();
  const known = Promise.withResolvers<string>();
  const open = async () => {
    const engine = { ...second.engine, installation_id: await known.promise };
    const network = await ensureNetwork(engine, { purpose: 'agents', subnet: undefined, internal: true });
    return { engine, network, openListed, secrets_directory };
  };
  const { gateway_port, subagents_port, egress_port } = config;
  const ways = { gateway_url: undefined, gateway_port, subagents_url: undefined, subagents_port, egress_port };
  settings = {
    ...ways,
    open,
    builds: connectEngine({ docker_host: config.engine_host, installation_id: '' }),
    runs: second.engine,
    registry: registry.address,
  };
  remote = remoteEngineTarget(settings);
  app = await testApp({ targets: { remote } });
  // The second engine has no rules for limited connections.
  await app.governed(sql`update org set agent_egress = 'open' returning id`);
  await app.admin.client.call('teams.create', { body: { name: 'ml' } });
  const installation_id = await installationId(app.db);
  known.resolve(installation_id);
  first = connectEngine({ docker_host: config.engine_host, installation_id });
  theirs = { ...second.engine, installation_id };
}, 120_000);
afterAll(async () => {
  await app?.stop();
  if (first !== undefined) await removeLeftovers(first);
  if (second !== undefined) {
    if (theirs !== undefined) await removeLeftovers(theirs);
    await second.stop();
  }
  await registry?.stop();
  await rm(secrets_directory, { recursive: true, force: true });
}, 120_000);

const openListed = async () => await Promise.reject(new Error('no agent of this test is limited'));

// It answers with the first characters of its container's id.
const agent = `
import socket
from typing_extensions import TypedDict
from langgraph.graph import StateGraph, START, END
class State(TypedDict, total=False):
    at: str
graph = StateGraph(State).add_node("where", lambda _: {"at": socket.gethostname()}).add_edge(START, "where").add_edge("where", END).compile()
`;

async function follow({ id }: { id: string }): Promise<Deployment> {
  for await (const _ of await app.admin.client.call('deployments.events', { params: { id } }));
  return await app.admin.client.call('deployments.show', { params: { id } });
}

async function pushed(version: string): Promise<string> {
  const project = { name, version, yaml: 'deploy: {scaling: {min: 1, max: 2}}\n', files: { 'agent.py': agent } };
  const { id, ref } = await app.admin.client.call('agents.push', { params, body: projectOf(project) });
  for await (const _ of await app.admin.client.call('pushes.events', { params: { id } }));
  return ref;
}

async function deployed(ref: string, target: string): Promise<Deployment> {
  const deployment = await follow(await app.admin.client.call('deployments.create', { body: { ref, target } }));
  expect(deployment).toMatchObject({ state: 'done', problem: null, target });
  return deployment;
}

async function say(): Promise<string> {
  const body = Buffer.from('{"input":{"at":""}}');
  const answer = await app.admin.client.call('invoke.call', { params, body });
  return /"at":\s*"([0-9a-f]{12})"/.exec(await answer.text())?.[1] ?? `status ${answer.status}`;
}

async function containerOf(engine: Engine) {
  const label = [`gantry.installation=${engine.installation_id}`];
  const found = await engine.docker.listContainers({ all: true, filters: { label } });
  return found.filter(({ Names }) => Names[0]?.startsWith(`/svc-${name}-`));
}

const targets = async () => {
  const status = await app.admin.client.call('agents.status', { params });
  return status.targets.map((one) => [one.target, one.state, one.is_default]);
};
const versions = async () => {
  const status = await app.admin.client.call('agents.status', { params });
  return Object.fromEntries(status.targets.map(({ target, version }) => [target, version]));
};
const setTarget = async (target: string) =>
  await app.admin.client.call('agents.set_target', { params, body: { target } });

test('an agent on two targets answers from the default one, which changes without a failed call', async () => {
  const ref = await pushed('1.0.0');
  await deployed(ref, 'local');
  await expect(setTarget('remote')).rejects.toMatchObject({ code: 'not_deployed' });
  const revision = await deployed(ref, 'remote');
  const [here, ...more] = await containerOf(first);
  const [there, ...others] = await containerOf(theirs);
  if (here === undefined || there === undefined) throw new Error('a target has no container');
  expect([more, others]).toEqual([[], []]);

  // Both engines run the built image: its id is the digest of its config.
  const built = await app.db.one<{ image: string }>(sql`select image from revision where id = ${revision.id}`);
  image = built?.image ?? '';
  expect(image).toMatch(/^sha256:/);
  expect([here.ImageID, there.ImageID]).toEqual([image, image]);

  const at = { here: here.Id.slice(0, 12), there: there.Id.slice(0, 12) };
  expect(await say()).toBe(at.here);
  expect(await targets()).toEqual([
    ['local', 'serving', true],
    ['remote', 'serving', false],
  ]);
  const answers: string[] = [];
  let calling = true;
  const calls = [1, 2, 3].map(async () => {
    while (calling) answers.push(await say());
  });
  await expect.poll(() => answers.length).toBeGreaterThan(6);
  const status = await setTarget('remote');
  expect(status).toMatchObject({ target: 'remote', revision: revision.id });
  expect(await say()).toBe(at.there);
  const switched = answers.length;
  await expect.poll(() => answers.length).toBeGreaterThan(switched + 6);
  calling = false;
  await Promise.all(calls);
  expect(new Set(answers)).toEqual(new Set([at.here, at.there]));
  const query = { asset: `agents/${name}`, action: 'agent.target_changed' } as const;
  const { items } = await app.admin.client.call('audit.list', { query });
  expect(items).toMatchObject([{ detail: { before: 'local', after: 'remote', revision: revision.id } }]);
}, 240_000);

test('two engines of an installation on one machine have networks of their own, and the gateway answers on both', async () => {
  const networks = [await networkOf(first), await networkOf(theirs)];
  for (const of of [networks.map(({ bridge }) => bridge), networks.map(({ subnet }) => subnet)])
    expect(new Set(of).size).toBe(2);
  const { gateway_port } = testConfig();
  for (const { gateway } of networks) {
    const ask = async () =>
      await fetch(`http://${gateway}:${gateway_port}/v1/models`).then(
        ({ status }) => status,
        () => 'no answer',
      );
    await expect.poll(ask, { timeout: 10_000 }).toBe(401);
  }
}, 30_000);

const networkOf = async (engine: Engine) =>
  await ensureNetwork(engine, { purpose: 'agents', subnet: undefined, internal: engine === theirs });

test('a stop on one target leaves the other, and a stopped target does not become the default one', async () => {
  await follow(await app.admin.client.call('agents.stop', { params, query: { target: 'local' } }));
  expect((await containerOf(first)).map(({ State }) => State)).toEqual(['exited']);
  expect((await containerOf(theirs)).map(({ State }) => State)).toEqual(['running']);
  expect(await say()).toMatch(/^[0-9a-f]{12}$/);
  expect(await targets()).toEqual([
    ['remote', 'serving', true],
    ['local', 'stopped', false],
  ]);
  await expect(setTarget('local')).rejects.toMatchObject({
    code: 'not_deployed',
    hint: `Start it: svc start ${name} --target local`,
  });
  await follow(await app.admin.client.call('agents.start', { params, query: { target: 'local' } }));
  await setTarget('local');
  expect(await say()).toBe((await containerOf(first))[0]?.Id.slice(0, 12));
}, 60_000);

test('a version is submitted, approved and deployed for a further target', async () => {
  const max = await app.user('max@example.com', { teams: { ml: 'admin' } });
  const dora = await app.user('dora@example.com', { teams: { ml: 'deployer' } });
  const asset = await pushed('2.0.0');
  const submit = async (target: string) =>
    await app.admin.client.call('approvals.submit', { body: { asset, target, message: '' } });
  await expect(submit('remotes')).rejects.toMatchObject({
    code: 'invalid',
    detail: 'This service has no target `remotes`; did you mean `remote`? Its targets: local, remote.',
  });
  const { id } = await submit('remote');
  await max.client.call('approvals.approve', { params: { id }, body: { reason: '' } });
  const deploy = async (target: string) =>
    await dora.client.call('deployments.create', { body: { ref: asset, target } });
  await expect(deploy('local')).rejects.toMatchObject({ code: 'approval_required' });
  expect(await follow(await deploy('remote'))).toMatchObject({ state: 'done', approval_id: id, target: 'remote' });
  expect(await versions()).toEqual({ local: '1.0.0', remote: '2.0.0' });
}, 120_000);

test('a scale and a rollback act on the named target alone', async () => {
  const query = { target: 'remote' };
  await follow(await app.admin.client.call('agents.scale', { params, query, body: { instances: 2 } }));
  const serving = (await app.admin.client.call('agents.status', { params })).targets;
  const instances = async (engine: Engine, target: string) => {
    const revision = serving.find((one) => one.target === target)?.revision;
    const found = await containerOf(engine);
    return found.filter(({ State, Labels }) => State === 'running' && Labels[label.revision] === revision).length;
  };
  expect([await instances(first, 'local'), await instances(theirs, 'remote')]).toEqual([1, 2]);

  const rollBack = async (more: { target?: string }) =>
    await app.admin.client.call('agents.rollback', { params, query: more, body: {} });
  await expect(rollBack({})).rejects.toMatchObject({
    code: 'no_earlier_revision',
    detail: `agents/${name} has run with no other content on local.`,
  });
  await expect(rollBack({ target: 'nowhere' })).rejects.toMatchObject({
    code: 'not_deployed',
    detail: `agents/${name} is not deployed on nowhere.`,
  });
  const back = await follow(await rollBack(query));
  expect(back).toMatchObject({ state: 'done', operation: 'rollback', target: 'remote', version: '1.0.0' });
  expect(await versions()).toEqual({ local: '1.0.0', remote: '1.0.0' });
  await follow(await app.admin.client.call('agents.stop', { params, query }));
  await expect(app.admin.client.call('agents.scale', { params, query, body: { instances: 1 } })).rejects.toMatchObject({
    code: 'not_deployed',
    hint: `Start it: svc start ${name} --target remote`,
  });
}, 120_000);

test('a registry that serves another image for a digest is refused', async () => {
  const signal = AbortSignal.timeout(60_000);
  const { Id: base } = await first.docker.getImage(testConfig().base_image).inspect();
  // The second engine keeps the manifests that it has seen. So the first one brings the image into the registry.
  expect(await remoteEngineTarget({ ...settings, runs: first }).deliver(base, signal)).toBe(base);
  const { name: pushed, manifest: asked } = await inRegistry(first, base);
  const original = await readFile(asked);
  await writeFile(asked, await readFile((await inRegistry(second.engine, image)).manifest));
  await expect(remote.deliver(base, signal)).rejects.toMatchObject({ code: 'start_failed' });
  await writeFile(asked, original);
  expect(await remote.deliver(base, signal)).toBe(base);
  // The last push has removed the name already on some engines.
  await first.docker
    .getImage(pushed)
    .remove()
    .catch((error: unknown) => expect(answered(error, 404)).toBe(true));
}, 60_000);

/** The name of a delivered image, and the file of its manifest. */
async function inRegistry(engine: Engine, delivered: string): Promise<{ name: string; manifest: string }> {
  const { RepoDigests } = await engine.docker.getImage(delivered).inspect();
  const found = RepoDigests.find((one) => one.startsWith(registry.address)) ?? '';
  return { name: found, manifest: registry.blob(found.split('@')[1] ?? '') };
}

test('a delete removes the agent from all of its targets', async () => {
  await app.admin.client.call('agents.delete', { params });
  const left = async () => [...(await containerOf(first)), ...(await containerOf(theirs))];
  await expect.poll(left, { timeout: 20_000 }).toEqual([]);
}, 30_000);
