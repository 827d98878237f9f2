// Drift is on the record once, `svc server gc` removes what nobody needs, and a target with leftovers is not removed. The vendor is in memory.
import { randomUUID } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { local_target } from '@gantry/contract/assets/targets.ts';
import { create } from '../../../assets/registry/assets/create.ts';
import { deleteAsset } from '../../../assets/registry/assets/delete.ts';
import { edit } from '../../../assets/registry/assets/edit.ts';
import { findAgent } from '../../../assets/registry/find.ts';
import { sql } from '../../../ground/database/sql.ts';
import { enqueue } from '../../../ground/runs/run.ts';
import { places } from '../../../ground/places-of-files.ts';
import { targetCheck } from '../../../service/target-check.ts';
import { tell } from '../../../telling/notifications/tell.ts';
import { openDeployStage, type DeployStage } from '../../../testing/agents/deploy-stage.ts';
import { startVendor, type Vendor } from '../../../testing/agents/vendor-platform.ts';
import { engineAt } from '../../../testing/pushes/asset-configs.ts';
import { rules } from '../../../testing/pushes/rules.ts';
import { closePending } from '../../approvals/approval-for.ts';
import { instanceId, instanceName } from '../instance-name.ts';
import { startVariables } from '../instance-environment.ts';
import { collectTarget } from '../keep/sweep.ts';
import { findDrift, startDriftLooks } from '../keep/note-drift.ts';
import { findNamedUsers } from '../named-users.ts';
import { insertPlacement, removePlacement } from '../placement-store.ts';
import { openLedger } from './ledger.ts';
import { collectTargets } from './named/collect-targets.ts';
import { showDrift } from './named/find-drift.ts';
import { removeTargetRows } from './named/remove-rows.ts';
import type { Ledger } from './outside.ts';
import { replicaTarget } from './replicas/target.ts';

const kind = 'target';
const config = (address: string) => engineAt(address) as unknown as Record<string, never>; // any JSON, as from a client
const signal = () => AbortSignal.timeout(20_000);
let stage: DeployStage;
let vendor: Vendor;
let ledger: Ledger;
/** Another one in each test. */
let target = '';
let made = 0;

beforeAll(async () => void (stage = await openDeployStage()));
afterAll(async () => await stage?.close());
beforeEach(async () => {
  target = `cloud-${++made}`;
  const words = { version: '1.0.0', description: '', tags: [], visibility: 'org' as const };
  const added = { name: target, team: 'ml', ...words, config: config('tcp://one.example.com:2376') };
  await create({ db: db(), rules }, await caller('root'), kind, added);
  vendor = startVendor();
  ledger = openLedger(db(), target);
  for (const name of Object.keys(stage.targets)) if (name !== local_target) delete stage.targets[name];
  stage.targets[target] = replicaTarget(vendor.platform(ledger), { db: db(), ledger });
});

const db = () => stage.parts.db;
const caller = async (person: 'root' | 'max' | 'dora') => await stage.cast.caller(person);

/** A revision with one instance, as a deploy places it, whose run this may be. Returns its name at the vendor. */
async function placed(revision_id: string = randomUUID()): Promise<{ name: string; revision_id: string }> {
  const agent = (await stage.push()).name;
  const agent_id = (await findAgent(db(), agent, null))?.id ?? '';
  const [id, name] = [instanceId({ revision_id, n: 1 }), instanceName({ agent, revision_id, n: 1 })];
  await insertPlacement(db(), { revision_id, agent_id, agent, target }, [{ id, n: 1 }]);
  const resources = { cpu_count: 1, memory_bytes: 2 ** 30 };
  const variables = startVariables(revision_id);
  await stage.targets[target]?.provision(
    { instance_id: id, revision_id, agent, name, fence: 1, image: 'image', variables, resources },
    signal(),
  );
  return { name: name.replace(/-1$/, ''), revision_id };
}

const look = async () => await findDrift(stage.parts, { target, signal: signal(), again_ms: 10 });
const entries = async () =>
  await db().all<{ event: string; what: string | null; count: number }>(sql`
    select event, body::jsonb -> 'detail' ->> 'what' as what, (body::jsonb -> 'detail' ->> 'count')::int as count from audit.entry
    where event in ('target.drifted', 'target.mended') and body::jsonb -> 'detail' ->> 'target' = ${target} order by seq`);

test('T578: drift is on the record once when it is found and once when it is mended, and the admins of the team are told once', async () => {
  const { name } = await placed();
  expect(await look()).toEqual([]);
  const service = vendor.things.get(`service ${name}`);
  Object.assign(service ?? {}, { is_altered: true });
  vendor.things.delete(`secret ${name}`);
  for (const _ of [1, 2, 3]) expect(await look()).toHaveLength(2);
  expect(await entries()).toMatchObject([{ event: 'target.drifted', count: 2 }]);
  Object.assign(service ?? {}, { is_altered: false });
  for (const _ of [1, 2]) expect(await look()).toMatchObject([{ what: 'missing', kind: 'secret', name }]);
  expect(await entries()).toMatchObject([
    { event: 'target.drifted' },
    { event: 'target.mended', count: 1, what: `service ${name}: not as described: env` },
  ]);
  for (let more = true; more;)
    more = await tell(db(), { mail: false, onError: (error) => expect(error).toBeUndefined() });
  const told = await db().all<{ account: string; words: string; email: string }>(sql`
    select n.account, n.words, u.email from notification n join app_user u on u.id = n.user_id
    where n.kind = 'target_drifted' and n.account = ${`targets/${target}`} order by u.email`);
  expect(told.map(({ email }) => email)).toEqual(expect.arrayContaining(['max@example.com', 'root@example.com']));
  expect(new Set(told.map(({ email }) => email)).size).toBe(told.length);
  expect(told[0]?.words).toContain(`, and 1 more; what mends it: svc target drift ${target}`);
  expect(told.map(({ email }) => email)).not.toContain('dora@example.com');
});

test('what is seen only once, in the middle of a change of the service, is not on the record', async () => {
  const { name } = await placed();
  const secret = vendor.things.get(`secret ${name}`);
  vendor.things.delete(`secret ${name}`);
  const looking = findDrift(stage.parts, { target, signal: signal(), again_ms: 300 });
  await expect.poll(() => vendor.calls).toBeGreaterThan(6);
  if (secret !== undefined) vendor.things.set(`secret ${name}`, secret);
  expect(await looking).toEqual([]);
  expect(await entries()).toEqual([]);
});

test('several processes that look at the same time make one entry, and the schedule looks once for all of them', async () => {
  const { name } = await placed();
  vendor.things.delete(`definition ${name}`);
  await Promise.all([look(), look(), look()]);
  expect(await entries()).toHaveLength(1);
  vendor.revive();
  const errors: unknown[] = [];
  const looks = [1, 2, 3].map(() =>
    startDriftLooks(stage.parts, { every_ms: 60_000, again_ms: 10, onError: (error) => errors.push(error) }),
  );
  await expect.poll(() => vendor.calls).toBe(1);
  await Promise.all(looks.map(async (one) => await one.stop()));
  expect([vendor.calls, errors]).toEqual([1, []]);
});

test('the doctor says what differs, and which target could not be looked at', async () => {
  const { name } = await placed();
  const check = async () => await targetCheck(stage.parts.targets, db()).look(signal());
  const looking = async (until: () => Promise<void>) => {
    const looks = startDriftLooks(stage.parts, { every_ms: 50, again_ms: 10, onError: () => {} });
    try {
      await until();
    } finally {
      await looks.stop();
    }
  };
  expect(await check()).toMatchObject({ verdict: 'ok' });
  vendor.things.delete(`secret ${name}`);
  const differs = `${target}: 1 thing differs from what was described`;
  await looking(async () => {
    const found = { verdict: 'problem', detail: differs, fix: expect.stringContaining('svc target drift') };
    await expect.poll(check).toMatchObject(found);
  });
  vendor.revive({ dies_after: 1 });
  await looking(async () => {
    const why = 'what was changed by hand was not looked for: The vendor does not answer';
    await expect.poll(async () => (await check()).detail).toContain(`${differs}; ${why}`);
  });
});

test('a platform admin sees drift with the command that mends it; nobody else asks for it', async () => {
  const { name } = await placed();
  vendor.things.delete(`secret ${name}`);
  vendor.things.set('service a-copy', { revision_id: randomUUID(), replicas: 1 });
  const shown = await showDrift(stage.parts, await caller('root'), { name: target, signal: signal() });
  expect(shown).toMatchObject({
    target,
    compares: true,
    drift: [
      // It does not serve, so it ends by itself.
      { what: 'missing', kind: 'secret', mend: null },
      { what: 'foreign', name: 'a-copy', mend: 'svc server gc', agent: null },
    ],
  });
  const local = await showDrift(stage.parts, await caller('root'), { name: local_target, signal: signal() });
  expect(local).toEqual({ target: local_target, compares: false, drift: [] });
  for (const person of ['max', 'dora'] as const)
    await expect(
      showDrift(stage.parts, await caller(person), { name: target, signal: signal() }),
    ).rejects.toMatchObject({ code: 'forbidden' });
}, 20_000);

const collect = async () => {
  const onError = (error: unknown) => expect(error).toBeUndefined();
  const all = await collectTargets(stage.parts, await caller('root'), { signal: signal(), onError });
  return all.filter((one) => one.target === target);
};

test('gc removes what the ledger lists of a deleted agent and what is foreign; a target that does not answer keeps it, with the reason', async () => {
  const actor = { user_id: (await caller('root')).id, name: 'root' };
  const run = await enqueue(db(), { kind: 'deploy', mutex: target, input: {}, actor });
  const kept = await placed(run.id);
  const gone = await placed();
  await removePlacement(db(), gone.revision_id);
  vendor.things.set('service a-copy', { revision_id: randomUUID(), replicas: 1 });
  vendor.revive({ dies_after: 1 });
  const left = ['secret', 'definition', 'service'].map((one) => ({
    kind: one,
    name: gone.name,
    reason: 'The vendor does not answer any more',
  }));
  expect(await collect()).toMatchObject([{ removed: [], left, reason: 'The vendor does not answer any more' }]);
  vendor.revive();
  const [collected] = await collect();
  expect(collected).toMatchObject({ left: [], reason: null });
  expect([...vendor.things.keys()].every((thing) => thing.endsWith(kept.name))).toBe(true);
  expect((await ledger.list()).map(({ name }) => name)).toEqual([kept.name, kept.name, kept.name]);
});

test('what another target of the same place has made is not foreign, and gc leaves it', async () => {
  const actor = { user_id: (await caller('root')).id, name: 'root' };
  const { name } = await placed((await enqueue(db(), { kind: 'deploy', mutex: target, input: {}, actor })).id);
  const other = openLedger(db(), `${target}-twin`);
  const twin = replicaTarget(vendor.platform(other), { db: db(), ledger: other });
  stage.targets[`${target}-twin`] = twin;
  expect(await twin.drift?.(signal())).toEqual([]);
  await collect();
  expect([...vendor.things.keys()]).toEqual([`secret ${name}`, `definition ${name}`, `service ${name}`]);
  vendor.things.set('service a-copy', { revision_id: randomUUID(), replicas: 1 });
  expect(await twin.drift?.(signal())).toMatchObject([{ what: 'foreign', name: 'a-copy' }]);
});

test('Deployments that were made before there was a ledger are on the record', async () => {
  const { revision_id, name } = await placed();
  const cluster = `${target}-cluster`;
  const of_cluster = { ...engineAt('https://k8s.example.com:6443'), kind: 'kubernetes', namespace: 'agents' };
  const words = { version: '1.0.0', description: '', tags: [], visibility: 'org' as const };
  const added = { name: cluster, team: 'ml', ...words, config: of_cluster as unknown as Record<string, never> }; // any JSON, as from a client
  await create({ db: db(), rules }, await caller('root'), kind, added);
  await db().run(sql`update placement set target = ${cluster} where revision_id = ${revision_id}`);
  const text = await readFile(join(places.migrations, '370-target-resources.sql'), 'utf8');
  const statement = /^insert into target_resource[^;]*/m.exec(text)?.[0] ?? '';
  await db().run({ strings: [statement], values: [] });
  expect(await openLedger(db(), cluster).list()).toEqual([
    { kind: 'Deployment', name, revision_id, described: undefined },
  ]);
});

test('the sweep leaves what was recorded a moment ago: it may be of a test of the target', async () => {
  const { name, revision_id } = await placed();
  await removePlacement(db(), revision_id);
  const sweep = async () => {
    const swept = await collectTarget(stage.parts, { target, found: [], age_ms: 60_000 }, signal());
    return swept.removed.map((one) => one.name);
  };
  expect(await sweep()).toEqual([]);
  await db().run(sql`
    update target_resource set recorded_at = recorded_at - interval '2 minutes' where kind <> 'service' and target = ${target}`);
  expect(await sweep()).toEqual([]);
  await db().run(
    sql`update target_resource set recorded_at = recorded_at - interval '2 minutes' where target = ${target}`,
  );
  expect(await sweep()).toEqual([name, name, name]);
});

test('T580: a target with leftovers is neither moved nor removed; with force they are named in the log, and forgotten', async () => {
  const { name, revision_id } = await placed();
  await removePlacement(db(), revision_id);
  await ledger.record({ kind: 'repository', name: 'gantry/agents' });
  const parts = { db: db(), closeRequests: closePending, findNamedUsers, removeRows: { target: removeTargetRows } };
  const moved = { version: '2.0.0', config: config('tcp://other.example.com:2376') };
  const refusal = {
    code: 'in_use',
    detail: `targets/${target} still has definition ${name}, secret ${name}, service ${name}, which no agent needs.`,
    hint: expect.stringContaining('svc server gc'),
  };
  const tried = async (work: Promise<unknown>) => {
    const problem = await work.then(
      () => undefined,
      (error: unknown) => error,
    );
    expect(problem).toMatchObject({ ...refusal, detail: expect.stringContaining(`service ${name}`) });
  };
  await tried(edit({ db: db(), rules, findNamedUsers }, await caller('root'), { kind, name: target }, moved));
  await tried(deleteAsset(parts, await caller('root'), { kind, name: target }));
  await deleteAsset(parts, await caller('root'), { kind, name: target, force: true, reason: 'the cluster is gone' });
  const [entry] = await db().all<{ stays: string[] }>(sql`
    select body::jsonb -> 'detail' -> 'stays' as stays from audit.entry
    where event = 'asset.deleted' and asset = ${`targets/${target}`}`);
  expect(entry?.stays.toSorted()).toEqual(
    ['repository gantry/agents', `definition ${name}`, `secret ${name}`, `service ${name}`].toSorted(),
  );
  expect(await ledger.list()).toEqual([]);
});
