// An agent on two targets: the machine's engine, and another engine that gets its images through a registry.
import { once } from 'node:events';
import { readdir, statfs } from 'node:fs/promises';
import { connect, type AddressInfo } from 'node:net';
import { createServer, type Server } from 'node:tls';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Deployment } from '@gantry/contract/agents/deploy.ts';
import { sql } from '../../../ground/database/sql.ts';
import { connectEngine, type Engine } from '../../../assets/docker/client.ts';
import { label } from '../../../assets/docker/labels.ts';
import { ensureNetwork } from '../../../assets/docker/networks.ts';
import { installationId } from '../../../people/principals/find.ts';
import { testConfig } from '../../../testing/config.ts';
import { removeLeftovers } from '../../../testing/engine-leftovers.ts';
import { askHost, followed, hostTeller } from '../../../testing/agents/host-teller.ts';
import { startImageRegistry, type ImageRegistry } from '../../../testing/servers/image-registry.ts';
import { projectOf } from '../../../testing/pushes/project-archive.ts';
import { startSecondEngine, type SecondEngine } from '../../../testing/servers/second-engine.ts';
import { testApp, type TestApp } from '../../../testing/test-app.ts';

const name = 'traveller';
const params = { name };
let second: SecondEngine;
let registry: ImageRegistry;
let first: Engine;
/** The second engine, with the objects of the same installation. */
let theirs: Engine;
let app: TestApp;
/** The door with TLS, as agents of another machine find it. */
let door: Server;
let service_url = '';

beforeAll(async () => {
  second = await startSecondEngine();
  registry = await startImageRegistry();
  const config = testConfig();
  app = await testApp({ config: { outbound_private_hosts: ['127.0.0.1'] } });
  // Nothing limits outgoing connections there.
  await app.governed(sql`update org set agent_egress = 'open' returning id`);
  await app.admin.client.call('teams.create', { body: { name: 'ml' } });
  const installation_id = await installationId(app.db);
  first = connectEngine({ docker_host: config.engine_host, installation_id });
  theirs = { ...second.engine, installation_id };
  const { gateway } = await networkOf(theirs);
  const { certificate: cert, key } = await second.serverAt(gateway);
  door = createServer({ cert, key }, (socket) => {
    const inside = connect({ host: gateway, port: config.door.port });
    for (const [one, other] of [
      [socket, inside],
      [inside, socket],
    ] as const)
      one.on('error', () => other.destroy()).pipe(other);
  }).listen(0, gateway);
  await once(door, 'listening');
  service_url = `https://${gateway}:${(door.address() as AddressInfo).port}`; // it listens on TCP
}, 120_000);
afterAll(async () => {
  door?.close();
  await app?.stop();
  if (first !== undefined) await removeLeftovers(first);
  if (second !== undefined) {
    if (theirs !== undefined) await removeLeftovers(theirs);
    await second.stop();
  }
  await registry?.stop();
}, 120_000);

const follow = async (begun: { id: string }) => await followed(app.admin.client, begun);

async function pushed(version: string): Promise<string> {
  const project = { name, version, yaml: 'deploy: {scaling: {min: 1, max: 2}}\n', files: { 'agent.py': hostTeller } };
  const { id, ref } = await app.admin.client.call('agents.push', { params, body: projectOf(project) });
  for await (const _ of await app.admin.client.call('pushes.events', { params: { id } }));
  return ref;
}

async function deployed(ref: string, target: string): Promise<Deployment> {
  const deployment = await follow(await app.admin.client.call('deployments.create', { body: { ref, target } }));
  expect(deployment).toMatchObject({ state: 'done', problem: null, target });
  return deployment;
}

const say = async (seconds = 0) => await askHost(app.admin.client, name, seconds);

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

test('an admin adds the engine of another machine while the service runs; its test names what is missing', async () => {
  const { client } = app.admin;
  const config = {
    kind: 'engine',
    address: second.address,
    ca: second.ca,
    registry: `http://${registry.address}/agents`,
    service_url,
    service_ca: second.ca,
  } as unknown as Record<string, never>; // any JSON, as from a client
  const body = { name: 'remote', team: 'ml', config };
  await client.call('registry.create', { params: { kind: 'target' }, body });
  const findings = async () => {
    const found = await client.call('targets.test', { params: { name: 'remote' } });
    return found.map(({ part, works, message }) => `${works ? '' : 'not '}${part}: ${message}`).join('\n');
  };
  expect(await findings()).toMatch(/^not engine: The target has no client certificate yet\.\nregistry: takes images/);
  const other = await startSecondEngine();
  await client.call('targets.set_credential', { params: { name: 'remote' }, body: other.client });
  expect(await findings()).toMatch(/^not engine: The container engine does not answer/);
  await other.stop();
  await client.call('targets.set_credential', { params: { name: 'remote' }, body: second.client });
  expect(await findings()).toMatch(/^engine: Docker \S+ answers/);
  const checks = await client.call('service.doctor', {});
  expect(checks.find(({ part }) => part === 'targets')).toMatchObject({
    verdict: 'ok',
    detail: 'each answers: remote',
  });
}, 60_000);

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
  const image = built?.image ?? '';
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
  const { port } = testConfig().door;
  for (const { gateway } of networks) {
    const ask = async () =>
      await fetch(`http://${gateway}:${port}/v1/models`).then(
        ({ status }) => status,
        () => 'no answer',
      );
    await expect.poll(ask, { timeout: 10_000 }).toBe(401);
  }
}, 30_000);

const networkOf = async (engine: Engine) =>
  await ensureNetwork(engine, { purpose: 'agents', subnet: undefined, internal: false });

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

test('the secrets of a container there are in the memory of its machine, and only while it runs', async () => {
  const label = [`gantry.installation=${theirs.installation_id}`, 'gantry.purpose=secrets'];
  const volumes = async () => (await theirs.docker.listVolumes({ filters: JSON.stringify({ label }) })).Volumes;
  const [{ Mountpoint: path } = { Mountpoint: '' }, ...more] = await volumes();
  expect(more).toEqual([]);
  expect(await readdir(path)).toContain('SVC_INGRESS_SECRET');
  expect((await statfs(path)).type).toBe(0x01021994);
  const query = { target: 'remote' };
  await follow(await app.admin.client.call('agents.stop', { params, query }));
  expect(await readdir(path)).toEqual([]);
  await follow(await app.admin.client.call('agents.start', { params, query }));
  expect(await readdir(path)).toContain('SVC_INGRESS_SECRET');
  expect(await theirs.docker.listContainers({ all: true, filters: { label } })).toEqual([]);
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

test('an agent whose outgoing connections are limited is refused there before anything is built', async () => {
  await app.governed(sql`update org set agent_egress = 'listed' returning id`);
  const ref = await pushed('3.0.0');
  const refused = app.admin.client.call('deployments.create', { body: { ref, target: 'remote' } });
  await expect(refused).rejects.toMatchObject({ code: 'egress_not_enforced', hint: expect.stringContaining('local') });
  const { verdicts } = await app.admin.client.call('deployments.plan', { body: { ref, target: 'remote' } });
  expect(verdicts.filter(({ verdict }) => verdict === 'fail')).toMatchObject([{ check: 'validate' }]);
  await app.governed(sql`update org set agent_egress = 'open' returning id`);
}, 60_000);

test('a delete removes the agent from all of its targets', async () => {
  await app.admin.client.call('agents.delete', { params });
  const left = async () => [...(await containerOf(first)), ...(await containerOf(theirs))];
  await expect.poll(left, { timeout: 20_000 }).toEqual([]);
}, 30_000);
