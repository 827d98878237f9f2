// The steps of the platform on our own stand-in for Azure. No container runs.
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { openOutbound, type Outbound } from '../../../../ground/outbound/outbound.ts';
import { credential, described, key_file, planning } from '../../../../testing/agents/azure-revision.ts';
import { memoryLedger } from '../../../../testing/agents/memory-ledger.ts';
import { startAzureCloud, type AzureCloud } from '../../../../testing/servers/azure-cloud.ts';
import { schemaFaults } from '../../../../testing/servers/azure-schema.ts';
import type { OutsideResource } from '../outside.ts';
import type { Platform } from '../replicas/platform.ts';
import { sealingKey } from '../sealed.ts';
import type { LogLine } from '../target.ts';
import { azureClient } from './azure-client.ts';
import { containerAppsPlatform, type ContainerAppsParts } from './container-apps-platform.ts';
import { accessToken } from './credential.ts';
import type { AzureRequest } from './requests.ts';

const { name } = described;
const replica = `${name}-r1`;
const signal = () => AbortSignal.timeout(30_000);
let cloud: AzureCloud;
let outbound: Outbound;
let parts: ContainerAppsParts;
let platform: Platform;
const sent: AzureRequest[] = [];
/** The records of what is made, beside the number of requests that were sent before. */
const made: (OutsideResource & { after: number })[] = [];
const ledger = memoryLedger((one) => void made.push({ ...one, after: sent.length }));

beforeAll(async () => {
  cloud = await startAzureCloud({ settings: planning.settings, credential });
  outbound = openOutbound({ private_hosts: ['127.0.0.1'] });
  const { hosts, addresses } = cloud;
  const token = accessToken({ key: key_file, outbound, addresses });
  parts = {
    ...planning,
    azure: azureClient({ token, outbound, hosts, onRequest: (request) => void sent.push(request) }),
    ledger,
    sealingKey: (revision_id) => sealingKey(Buffer.alloc(32), revision_id),
    outgoing: { service_url: planning.settings.service_url },
    push: async () => await Promise.resolve({ digest: `sha256:${'a'.repeat(64)}`, platform: 'linux/amd64' }),
  };
  platform = containerAppsPlatform(parts);
});
afterEach(async () => await platform.remove(name, signal()));
afterAll(async () => {
  await cloud?.stop();
  await outbound?.close();
});

const apps = () => [...cloud.apps.keys()].toSorted();

test('a repeated description changes nothing, another one is followed by replicas from then on, and one of an older attempt is refused', async () => {
  await platform.describe(described, signal());
  expect(await platform.observe(name)).toEqual({ name, revision_id: described.revision_id, replicas: 0 });
  const count = made.length;
  await platform.describe({ ...described, fence: 2 }, signal());
  expect(made).toHaveLength(count);
  await platform.describe({ ...described, fence: 3, variables: { SVC_AGENT_NAME: 'another' } }, signal());
  await expect(platform.describe({ ...described, fence: 2 }, signal())).rejects.toThrow('has a newer fence');
  await platform.scale(name, { replicas: 1, files: {} });
  expect(JSON.stringify(cloud.apps.get(replica)?.body)).toContain('"another"');
  await expect(platform.deliver('an image', signal())).resolves.toMatch(/^gantryagents\.azurecr\.io\/agents@sha256:/);
});

test('what is interrupted is in the ledger, is made again, and is removed whole', async () => {
  await platform.describe(described, signal());
  cloud.failures.push('Internal error');
  await expect(platform.scale(name, { replicas: 1, files: {} })).rejects.toThrow('Container Apps says: Internal error');
  expect((await ledger.list()).map((one) => one.name)).toEqual([name, replica]);
  // As after a crash between the record and the call.
  await ledger.record({ kind: 'container app', name: `${name}-r5` }, described);
  cloud.failures.push('Internal error');
  await expect(platform.remove(name, signal())).rejects.toThrow('Internal error');
  expect((await ledger.list()).map((one) => one.name)).toContain(name);
  await platform.remove(name, signal());
  await platform.remove(name, signal());
  expect({ apps: apps(), open: await ledger.list() }).toEqual({ apps: [], open: [] });
});

test('what a record fails for is not made', async () => {
  await platform.describe(described, signal());
  const failing = containerAppsPlatform({
    ...parts,
    ledger: { ...ledger, record: async () => await Promise.reject(new Error('the record is not stored')) },
  });
  await expect(failing.scale(name, { replicas: 1, files: {} })).rejects.toThrow('the record is not stored');
  expect(apps()).toEqual([]);
});

test('replicas get the lowest free numbers; those that leave end first, then the newest; zero ends all', async () => {
  await platform.describe(described, signal());
  await expect(platform.scale(name, { replicas: 1 })).rejects.toThrow('No replica is there from which');
  await platform.scale(name, { replicas: 3, files: { TOKEN: 'one' } });
  expect(apps()).toEqual([replica, `${name}-r2`, `${name}-r3`]);
  expect(await platform.observe(name)).toMatchObject({ replicas: 3 });
  await platform.scale(name, { replicas: 2, leaving: [replica] });
  expect(apps()).toEqual([`${name}-r2`, `${name}-r3`]);
  // The secrets of those that are there.
  await platform.scale(name, { replicas: 3 });
  expect(apps()).toEqual([replica, `${name}-r2`, `${name}-r3`]);
  const secretOf = (id: string) => cloud.apps.get(id)?.body.properties.configuration.secrets[0]?.value;
  expect([secretOf(`${name}-r2`), secretOf(`${name}-r3`)]).toContain(secretOf(replica));
  // A repeated wish changes nothing, also one with a name that has gone.
  await platform.scale(name, { replicas: 3, leaving: [`${name}-r9`, 'svc-another-a1b2c3d4-r1'] });
  expect(apps()).toHaveLength(3);
  await platform.scale(name, { replicas: 2 });
  expect(apps()).toEqual([`${name}-r2`, `${name}-r3`]);
  await platform.scale(name, { replicas: 0 });
  expect(apps()).toEqual([]);
  expect(await platform.list()).toEqual([{ name, revision_id: described.revision_id, replicas: 0 }]);
  await platform.scale('svc-missing-a1b2c3d4', { replicas: 1, files: {} });
  expect(apps()).toEqual([]);
}, 60_000);

test('T604 a replica that names the container app of another description ends nothing, and shows no log', async () => {
  const other = { ...described, name: 'svc-other-a1b2c3d4', revision_id: 'a1b2c3d4-0000-4000-8000-000000000009' };
  await platform.describe(described, signal());
  await platform.scale(name, { replicas: 1, files: {} });
  await platform.describe(other, signal());
  await platform.scale(other.name, { replicas: 0, leaving: [replica] });
  expect(apps()).toContain(replica);
  cloud.say({ pool: replica, log: 'stdout', at: new Date().toISOString(), text: 'of the first' });
  expect(await read(other.name, replica)).toEqual([]);
  expect(await read(name, replica)).toEqual(['of the first']);
  await platform.remove(other.name, signal());
  expect(apps()).toContain(replica);
}, 60_000);

test('T604 the container app of another installation is neither replaced, nor listed, nor removed', async () => {
  await platform.describe(described, signal());
  await platform.scale(name, { replicas: 1, files: {} });
  const other_ledger = memoryLedger();
  const other = containerAppsPlatform({ ...parts, installation_id: 'another', ledger: other_ledger });
  await other.describe(described, signal());
  await expect(other.scale(name, { replicas: 1, files: {} })).rejects.toThrow('does not belong to this installation');
  expect(await other.observe(name)).toMatchObject({ replicas: 0 });
  await expect(other.remove(name, signal())).rejects.toThrow('does not belong to this installation');
  expect(await containerAppsPlatform({ ...parts, installation_id: 'a third', ledger: memoryLedger() }).list()).toEqual(
    [],
  );
  expect(cloud.apps.get(replica)?.body.tags['gantry-installation']).toBe(planning.installation_id);
  expect(apps()).toEqual([replica]);
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
  cloud.say({ pool: id, log: 'varlog/system', at: at(5), text: 'Replica has started.' });
  expect(await read(name, id)).toEqual(['line 0', 'line 1', 'line 2', 'line 3', 'line 4']);
  expect(await read(name, id, { tail: 4 })).toEqual(['line 1', 'line 2', 'line 3', 'line 4']);
  expect(await read(name, id, { since: at(3) })).toEqual(['line 3', 'line 4']);
  expect(await read(name, id, { secrets: { A: 'line 3' } })).toEqual(['line 0', 'line 1', 'line 2', '***', 'line 4']);
  const followed = read(name, id, { follow: true, signal: AbortSignal.timeout(60_000) });
  cloud.say({ pool: id, log: 'stdout', at: new Date().toISOString(), text: 'late' });
  cloud.say({ pool: id, log: 'stdout', at: new Date().toISOString(), text: 'late' });
  expect(await followed).toEqual(['line 0', 'line 1', 'line 2', 'line 3', 'line 4', 'late', 'late']);
  // Values that the replica got are masked after they have changed.
  await platform.scale(name, { replicas: 1, files: { A: 'a value of before' } });
  cloud.say({ pool: replica, log: 'stdout', at: at(9), text: 'it is a value of before' });
  expect(await read(name, replica, { secrets: { A: 'another value' }, since: at(9) })).toContain('it is ***');
  for (let line = 0; line < 2500; line++)
    cloud.say({ pool: `${name}-r8`, log: 'stdout', at: at(Math.floor(line / 100)), text: `line ${line}` });
  expect(new Set(await read(name, `${name}-r8`)).size).toBe(2500);
}, 90_000);

test('how a replica that starts has ended is read from the words of Container Apps, and an obstacle is said', async () => {
  await platform.describe(described, signal());
  await platform.scale(name, { replicas: 1, files: {} });
  const say = (text: string) => cloud.say({ pool: replica, log: 'varlog/system', at: new Date().toISOString(), text });
  say('Replica has been scheduled to run on a node.');
  expect(await platform.observe(name)).not.toHaveProperty('last_exit');
  say(`Container 'agent' was terminated with exit code '3'`);
  await platform.scale(name, { replicas: 1 });
  expect(await platform.observe(name)).toMatchObject({ last_exit: { exit_code: 3, out_of_memory: false } });
  say(`Container 'agent' was terminated with exit code '137' and reason 'OOMKilled'`);
  await platform.scale(name, { replicas: 1 });
  expect(await platform.observe(name)).toMatchObject({ last_exit: { exit_code: 137, out_of_memory: true } });
  Object.assign(cloud.apps.get(replica) ?? {}, { state: 'Failed' });
  await platform.scale(name, { replicas: 1 });
  expect(await platform.observe(name)).toMatchObject({ obstacle: expect.stringContaining('could not make') });
}, 60_000);

test('limits of outgoing connections, impossible sizes and names are refused before anything is recorded', async () => {
  const count = made.length;
  const huge = { ...described, resources: { cpu_count: 64, memory_bytes: 1024 ** 3 } };
  await expect(platform.describe(huge, signal())).rejects.toThrow('Container Apps has no size with 64 CPU');
  await expect(platform.describe({ ...described, egress: [] }, signal())).rejects.toThrow('Outgoing connections');
  await expect(platform.describe({ ...described, name: 'a b' }, signal())).rejects.toThrow('has other characters');
  expect(made).toHaveLength(count);
});

const drift = async (replicas: number) => {
  const told = new Map([[described.revision_id, replicas]]);
  const found = (await platform.drift?.(told, signal())) ?? [];
  return found.map(({ what, kind, name: of, detail }) => [what, kind, of, detail]);
};

test('what somebody changes by hand is drift, by its name and without a value; what Azure fills in is none', async () => {
  await platform.describe(described, signal());
  await platform.scale(name, { replicas: 1, files: {} });
  expect(await drift(1)).toEqual([]);
  expect(await drift(2)).toEqual([['missing', 'container app', name, 'it has 1 replicas, and 2 are asked for']]);
  const { properties } = cloud.apps.get(replica)?.body ?? {};
  const [container] = properties?.template.containers ?? [];
  Object.assign(container ?? {}, { image: 'attacker.example.com/agent:1' });
  container?.env.push({ name: 'ADDED', value: 'a word' });
  Object.assign(properties?.configuration ?? {}, { ingress: { external: true, targetPort: 80 } });
  Object.assign(properties?.template.scale ?? {}, { maxReplicas: 9 });
  const secrets = [...(properties?.configuration.secrets ?? []), { name: 'added', value: 'a word' }];
  Object.assign(properties?.configuration ?? {}, { secrets });
  const [[what, kind, of, detail] = []] = await drift(1);
  expect([what, kind, of]).toEqual(['changed', 'container app', replica]);
  for (const path of ['ingress', 'secrets.added', 'containers.agent.image', 'containers.agent.env.ADDED', 'and 1 more'])
    expect(detail).toContain(path);
  expect(detail).not.toContain('a word');
});

test('a container app with our tag that is not on the record is foreign, and is removed by its name', async () => {
  await platform.describe(described, signal());
  await platform.scale(name, { replicas: 1, files: {} });
  const copy = structuredClone(cloud.apps.get(replica));
  if (copy !== undefined) cloud.apps.set('a-copy', copy);
  const foreign = ['foreign', 'container app', 'a-copy', 'it has the tag of this service, and is not on the record'];
  expect(await drift(1)).toEqual([foreign]);
  await platform.remove('a-copy', signal());
  expect(apps()).toEqual([replica]);
  // As after the restore of an older database.
  const forgotten = containerAppsPlatform({ ...parts, ledger: memoryLedger() });
  expect(await forgotten.list()).toEqual([{ name, revision_id: described.revision_id, replicas: 1 }]);
  await forgotten.remove(name, signal());
  expect(apps()).toEqual([]);
});

test('everything that was made is in the record before it was made', () => {
  const created = sent.flatMap(({ method, name: of }, at) =>
    method === 'ContainerApps.createOrUpdate' ? [{ at, id: of.slice(of.lastIndexOf('/') + 1) }] : [],
  );
  expect(created.length).toBeGreaterThan(10);
  for (const { at, id } of created)
    if (made.some((one) => one.name === id)) expect(made.some((one) => one.after <= at && one.name === id)).toBe(true);
    else expect.fail(`${id} is not recorded`);
});

test('every request of container apps that was sent is the one that Azure’s client makes', async () => {
  const checked = await Promise.all(sent.map(async (one) => ({ one, faults: await schemaFaults(one) })));
  expect(checked.flatMap(({ one, faults = [] }) => faults.map((fault) => `${one.method}: ${fault}`))).toEqual([]);
  const unknown = checked.filter(({ faults }) => faults === undefined).map(({ one }) => one.method);
  expect([...new Set(unknown)].toSorted()).toEqual(['Query.execute', 'operation']);
}, 60_000);
