// The steps of the platform on our own stand-in for Cloud Run and an emulator of Secret Manager that keeps state. No container runs.
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { openOutbound, type Outbound } from '../../../../ground/outbound/outbound.ts';
import { described, planning } from '../../../../testing/agents/gcp-revision.ts';
import { memoryLedger } from '../../../../testing/agents/memory-ledger.ts';
import { key_file, public_key } from '../../../../testing/agents/google-stage.ts';
import { startDrongo } from '../../../../testing/servers/drongo.ts';
import type { Emulator } from '../../../../testing/servers/emulator.ts';
import { startGoogleCloud, type GoogleCloud } from '../../../../testing/servers/google-cloud.ts';
import { asSent, checkAgainstDiscovery } from '../../../../testing/servers/google-discovery.ts';
import type { OutsideResource } from '../outside.ts';
import type { Platform } from '../replicas/platform.ts';
import type { LogLine } from '../target.ts';
import { cloudRunPlatform, type CloudRunParts } from './cloud-run-platform.ts';
import { accessToken } from './credential.ts';
import { google } from './google.ts';
import type { GoogleRequest } from './requests.ts';
import { sealingKey } from '../sealed.ts';

const { name } = described;
const replica = `${name}-r1`;
const signal = () => AbortSignal.timeout(30_000);
let drongo: Emulator;
let cloud: GoogleCloud;
let outbound: Outbound;
let parts: CloudRunParts;
let platform: Platform;
const sent: GoogleRequest[] = [];
/** The records of what is made, beside the number of requests that were sent before. */
const made: (OutsideResource & { after: number })[] = [];
const ledger = memoryLedger((one) => void made.push({ ...one, after: sent.length }));

beforeAll(async () => {
  drongo = await startDrongo();
  cloud = await startGoogleCloud({ secrets: drongo.endpoint, project: planning.settings.project, public_key });
  outbound = openOutbound({ private_hosts: ['127.0.0.1'] });
  const { baseOf, addresses } = cloud;
  const token = accessToken({ key: key_file, outbound, addresses });
  parts = {
    ...planning,
    google: google({ token, outbound, baseOf, onRequest: (request) => void sent.push(request) }),
    ledger,
    sealingKey: (revision_id) => sealingKey(Buffer.alloc(32), revision_id),
    outgoing: { service_url: planning.settings.service_url },
    push: async () => await Promise.resolve({ digest: `sha256:${'a'.repeat(64)}`, platform: 'linux/amd64' }),
  };
  platform = cloudRunPlatform(parts);
}, 240_000);
afterEach(async () => await platform.remove(name, signal()));
afterAll(async () => {
  await cloud?.stop();
  await outbound?.close();
  await drongo?.stop();
});

const pools = () => [...cloud.pools.keys()].toSorted();
const secretIds = async () => {
  const answer = await fetch(`${drongo.endpoint}/v1/projects/${planning.settings.project}/secrets`);
  return ((await answer.json()) as { secrets?: object[] }).secrets ?? []; // the emulator's own form
};

test('a repeated description makes nothing, another one changes it, and one of an older attempt is refused', async () => {
  await platform.describe(described, signal());
  expect(pools()).toEqual([name]);
  const count = made.length;
  await platform.describe({ ...described, fence: 2 }, signal());
  expect(made).toHaveLength(count);
  const other = { ...described, fence: 3, variables: { SVC_AGENT_NAME: 'another' } };
  await platform.describe(other, signal());
  expect(JSON.stringify(cloud.pools.get(name)?.body)).toContain('"another"');
  await expect(platform.describe({ ...described, fence: 2 }, signal())).rejects.toThrow('has a newer fence');
  expect(JSON.stringify(cloud.pools.get(name)?.body)).toContain('"another"');
});

test('a description that is interrupted leaves what the ledger knows, is made again, and is removed whole', async () => {
  cloud.failures.push('Internal error');
  await expect(platform.describe(described, signal())).rejects.toThrow('Cloud Run says: Internal error');
  expect(await platform.observe(name)).toBeUndefined();
  expect((await ledger.list()).map((one) => one.kind)).toEqual(['worker pool', 'secret']);
  await platform.describe(described, signal());
  expect(await platform.observe(name)).toMatchObject({ name, revision_id: described.revision_id, replicas: 0 });
  // As after a crash between the record and the call.
  await ledger.record({ kind: 'worker pool', name: `${name}-r5` }, described);
  cloud.failures.push('Internal error');
  await expect(platform.remove(name, signal())).rejects.toThrow('Internal error');
  expect((await ledger.list()).map((one) => one.name)).toEqual([name]);
  await platform.remove(name, signal());
  await platform.remove(name, signal());
  expect({ pools: pools(), secrets: await secretIds(), open: await ledger.list() }).toEqual({
    pools: [],
    secrets: [],
    open: [],
  });
});

test('what a record fails for is not made', async () => {
  const failing = cloudRunPlatform({
    ...parts,
    ledger: { ...ledger, record: async () => await Promise.reject(new Error('the record is not stored')) },
  });
  await expect(failing.describe(described, signal())).rejects.toThrow('the record is not stored');
  expect({ pools: pools(), secrets: await secretIds() }).toEqual({ pools: [], secrets: [] });
});

test('replicas get the lowest free numbers; those that leave end first, then the newest; zero ends all', async () => {
  await platform.describe(described, signal());
  await platform.scale(name, { replicas: 3, files: { TOKEN: 'one' } });
  expect(pools()).toEqual([name, replica, `${name}-r2`, `${name}-r3`]);
  expect(await platform.observe(name)).toMatchObject({ replicas: 3 });
  await platform.scale(name, { replicas: 2, leaving: [replica] });
  expect(pools()).toEqual([name, `${name}-r2`, `${name}-r3`]);
  await platform.scale(name, { replicas: 3 });
  expect(pools()).toEqual([name, replica, `${name}-r2`, `${name}-r3`]);
  // A repeated wish changes nothing, also one with a name that has gone.
  await platform.scale(name, { replicas: 3, leaving: [`${name}-r9`, 'svc-another-a1b2c3d4-r1'] });
  expect(pools()).toHaveLength(4);
  await platform.scale(name, { replicas: 2 });
  expect(pools()).toEqual([name, `${name}-r2`, `${name}-r3`]);
  await platform.scale(name, { replicas: 0 });
  expect(pools()).toEqual([name]);
  expect(await platform.list()).toEqual([{ name, revision_id: described.revision_id, replicas: 0 }]);
}, 60_000);

test('T592 a replica that names the worker pool of another description ends nothing, and shows no log', async () => {
  const other = { ...described, name: 'svc-other-a1b2c3d4', revision_id: '7d1f3a52-0000-4000-8000-000000000009' };
  await platform.describe(described, signal());
  await platform.scale(name, { replicas: 1, files: {} });
  await platform.describe(other, signal());
  await platform.scale(other.name, { replicas: 0, leaving: [replica] });
  expect(pools()).toContain(replica);
  cloud.say({ pool: replica, log: 'stdout', at: new Date().toISOString(), text: 'of the first' });
  expect(await read(other.name, replica)).toEqual([]);
  expect(await read(name, replica)).toEqual(['of the first']);
  await platform.remove(other.name, signal());
  expect(pools()).toContain(replica);
}, 60_000);

test('T594 the worker pool and the secret of another installation are neither taken, nor listed, nor removed', async () => {
  await platform.describe(described, signal());
  const other = cloudRunPlatform({ ...parts, installation_id: 'another' });
  await expect(other.describe(described, signal())).rejects.toThrow('does not belong to this installation');
  await expect(other.scale(name, { replicas: 1 })).rejects.toThrow('does not belong to this installation');
  await expect(other.remove(name, signal())).rejects.toThrow('does not belong to this installation');
  expect(await other.observe(name)).toBeUndefined();
  expect(await other.list()).toEqual([]);
  expect(pools()).toEqual([name]);
});

async function read(of: string, id: string, more: object = {}): Promise<string[]> {
  const lines: LogLine[] = [];
  for await (const line of platform.logs(of, id, { secrets: {}, signal: signal(), ...more })) lines.push(line);
  return lines.map(({ line }) => line);
}

test('a log is read in the order of time, in pages, from its end, masked, and followed until its replica has gone', async () => {
  await platform.describe(described, signal());
  const id = `${name}-r7`;
  const at = (second: number) => new Date(Date.UTC(2026, 0, 1, 0, 0, second)).toISOString();
  for (const second of [3, 1, 2, 0, 4])
    cloud.say({ pool: id, log: second === 2 ? 'stderr' : 'stdout', at: at(second), text: `line ${second}` });
  cloud.say({ pool: id, log: 'varlog/system', at: at(5), text: 'Starting new instance.' });
  expect(await read(name, id)).toEqual(['line 0', 'line 1', 'line 2', 'line 3', 'line 4']);
  expect(await read(name, id, { tail: 4 })).toEqual(['line 1', 'line 2', 'line 3', 'line 4']);
  expect(await read(name, id, { since: at(3) })).toEqual(['line 3', 'line 4']);
  // Values of today, and those that replicas got before.
  await platform.scale(name, { replicas: 0, files: { A: 'line 1' } });
  await platform.scale(name, { replicas: 0, files: { A: 'line 2' } });
  const masked = ['line 0', '***', '***', '***', 'line 4'];
  expect(await read(name, id, { secrets: { A: 'line 3' } })).toEqual(masked);
  const followed = read(name, id, { follow: true, signal: AbortSignal.timeout(60_000) });
  cloud.say({ pool: id, log: 'stdout', at: new Date().toISOString(), text: '{"event": "late"}' });
  expect(await followed).toEqual(['line 0', 'line 1', 'line 2', 'line 3', 'line 4', '{"event":"late"}']);
}, 90_000);

test('how a replica that starts has ended is read from the words of Cloud Run, and an obstacle is said', async () => {
  await platform.describe(described, signal());
  await platform.scale(name, { replicas: 1, files: {} });
  const say = (text: string) => cloud.say({ pool: replica, log: 'varlog/system', at: new Date().toISOString(), text });
  say('Starting new instance. Reason: MANUAL_OR_CUSTOMER_MIN_INSTANCE');
  expect(await platform.observe(name)).not.toHaveProperty('last_exit');
  say('Container called exit(3).');
  await platform.scale(name, { replicas: 1 });
  expect(await platform.observe(name)).toMatchObject({ last_exit: { exit_code: 3, out_of_memory: false } });
  say('Memory limit of 512 MiB exceeded with 530 MiB used. Consider increasing the memory limit.');
  await platform.scale(name, { replicas: 1 });
  expect(await platform.observe(name)).toMatchObject({ last_exit: { out_of_memory: true } });
  const body = cloud.pools.get(replica)?.body ?? {};
  body['terminalCondition'] = { state: 'CONDITION_FAILED', message: 'Image was not found' };
  await platform.scale(name, { replicas: 1 });
  expect(await platform.observe(name)).toMatchObject({ obstacle: 'Image was not found' });
}, 60_000);

test('secrets that do not fit, limits of outgoing connections and impossible sizes are refused before anything is made', async () => {
  const count = made.length;
  const huge = { ...described, resources: { cpu_count: 64, memory_bytes: 1024 ** 3 } };
  await expect(platform.describe(huge, signal())).rejects.toThrow('Cloud Run has no size with 64 CPU');
  await expect(platform.describe({ ...described, egress: [] }, signal())).rejects.toThrow('Outgoing connections');
  await expect(platform.describe({ ...described, name: 'a b' }, signal())).rejects.toThrow('has other characters');
  expect(made).toHaveLength(count);
  await platform.describe(described, signal());
  const files = { LARGE: 'x'.repeat(30_000) };
  await expect(platform.scale(name, { replicas: 1, files })).rejects.toThrow('Cloud Run takes 32768 in one variable');
  expect(pools()).toEqual([name]);
});

test('only the last two values of a secret are kept', async () => {
  await platform.describe(described, signal());
  for (const value of ['one', 'two', 'three']) await platform.scale(name, { replicas: 0, files: { A: value } });
  const id = `gantry-${planning.installation_id}-${name}`;
  const answer = await fetch(`${drongo.endpoint}/v1/projects/${planning.settings.project}/secrets/${id}/versions`);
  const { versions } = (await answer.json()) as { versions: { state: string }[] }; // the emulator's own form
  expect(versions.map(({ state }) => state)).toEqual(['DESTROYED', 'DESTROYED', 'ENABLED', 'ENABLED']);
});

const drift = async (replicas: number) => {
  const told = new Map([[described.revision_id, replicas]]);
  const found = (await platform.drift?.(told, signal())) ?? [];
  return found.map(({ what, kind, name: of, detail }) => [what, kind, of, detail]);
};
/** As somebody with a console changes it. */
const change = (id: string, how: (container: Record<string, unknown>, template: Record<string, unknown>) => void) => {
  const template = structuredClone(cloud.pools.get(id)?.body['template']) as { containers: Record<string, unknown>[] }; // as it was sent
  const [container = {}] = template.containers;
  how(container, template);
  Object.assign(cloud.pools.get(id)?.body ?? {}, { template });
};

test('what somebody changes by hand is drift, by its name and without a value; what Google fills in is none', async () => {
  await platform.describe(described, signal());
  await platform.scale(name, { replicas: 1, files: {} });
  expect(await drift(1)).toEqual([]);
  change(replica, (_, template) => Object.assign(template, { maxInstanceRequestConcurrency: 80, uid: 'x' }));
  expect(await drift(1)).toEqual([]);
  expect(await drift(2)).toEqual([['changed', 'worker pool', name, 'it has 1 replicas, and 2 are asked for']]);
  change(replica, (container) => {
    Object.assign(container, { image: 'attacker.example.com/agent:1' });
    (container['env'] as object[]).push({ name: 'ADDED', value: 'a word' });
  });
  expect(await drift(1)).toEqual([
    ['changed', 'worker pool', replica, 'not as described: containers.agent.image, containers.agent.env.ADDED'],
  ]);
  change(name, (container, template) =>
    Object.assign(template, { containers: [container, { ...container, name: 'beside' }], serviceAccount: 'other@x' }),
  );
  expect(await drift(1)).toContainEqual([
    'changed',
    'worker pool',
    name,
    'not as described: serviceAccount, containers.beside',
  ]);
  // No replica is made of it, and its removal does not need it.
  await expect(platform.scale(name, { replicas: 2 })).rejects.toThrow('has changed the worker pool');
  await platform.scale(name, { replicas: 0 });
  expect(pools()).toEqual([name]);
});

test('a worker pool that is gone is missing, and one with our label that is not on the record is foreign', async () => {
  await platform.describe(described, signal());
  const copy = structuredClone(cloud.pools.get(name));
  await fetch(`${drongo.endpoint}/v1/projects/my-project/secrets/gantry-${planning.installation_id}-${name}`, {
    method: 'DELETE',
  });
  cloud.pools.delete(name);
  if (copy !== undefined) cloud.pools.set('a-copy', { ...copy, body: { ...copy.body, name: 'x/workerPools/a-copy' } });
  expect(await drift(0)).toEqual([
    ['missing', 'worker pool', name, 'it is gone, or has other labels'],
    ['missing', 'secret', expect.stringContaining(name), 'it is gone'],
    ['foreign', 'worker pool', 'a-copy', 'it has the label of this service, and is not on the record'],
  ]);
  await platform.remove('a-copy', signal());
  expect(pools()).toEqual([]);
});

test('everything that was made is in the record before it was made', () => {
  const creating = /\.create$/;
  const created = sent.flatMap(({ method, query = {} }, at) =>
    creating.test(method) ? [{ at, id: query['workerPoolId'] ?? query['secretId'] ?? '' }] : [],
  );
  expect(created.length).toBeGreaterThan(10);
  for (const { at, id } of created) expect(made.some((one) => one.after <= at && one.name.endsWith(id))).toBe(true);
});

test('every request that was sent fits the descriptions of Google’s APIs', async () => {
  const faults = await checkAgainstDiscovery(sent.map(asSent));
  expect(faults.flatMap((found, at) => found.map((fault) => `${sent[at]?.method}: ${fault}`))).toEqual([]);
  expect(sent.map(({ method }) => method)).toEqual(
    expect.arrayContaining(['run.projects.locations.workerPools.patch', 'secretmanager.projects.secrets.get']),
  );
}, 120_000);
