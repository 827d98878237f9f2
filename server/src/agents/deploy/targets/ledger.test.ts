// What a vendor has is in the ledger before it is made. The vendor of these tests dies after each of its calls.
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import type { Deployment } from '@gantry/contract/agents/deploy.ts';
import { sql } from '../../../ground/database/sql.ts';
import { runEvents } from '../../../ground/runs/events.ts';
import { startWorker, type Worker } from '../../../ground/runs/worker.ts';
import { openDeployStage, type DeployStage } from '../../../testing/agents/deploy-stage.ts';
import { startVendor, type Vendor } from '../../../testing/agents/vendor-platform.ts';
import { openDialled } from '../dial-in/dialled.ts';
import { deploy } from '../deploy.ts';
import { deployKind } from '../deploy-kind.ts';
import { showDeploy } from '../deployments/find-deploy.ts';
import { collectTarget } from '../keep/sweep.ts';
import { operationKinds } from '../operate/kinds.ts';
import { openLedger } from './ledger.ts';
import type { Ledger } from './outside.ts';
import { replicaTarget } from './replicas/target.ts';

let stage: DeployStage;
let vendor: Vendor;
let ledger: Ledger;
let worker: Worker;
const errors: unknown[] = [];

beforeAll(async () => {
  stage = await openDeployStage();
  const { db } = stage.parts;
  // No replica ever joins, so each deploy fails at its start.
  Object.assign(stage.parts, { dialled: openDialled(), start_deadline_ms: 50 });
  vendor = startVendor();
  ledger = openLedger(db, 'cloud');
  stage.targets['cloud'] = replicaTarget(vendor.platform(ledger), { db, ledger, dialled: stage.parts.dialled });
  worker = await work();
});
afterAll(async () => {
  await worker?.stop();
  await stage?.parts.dialled?.close();
  await stage?.close();
});
afterEach(() => {
  expect(errors.splice(0)).toEqual([]);
  vendor.revive();
});

const root = async () => await stage.cast.caller('root');
const signal = () => AbortSignal.timeout(20_000);
const work = async () =>
  await startWorker(
    stage.parts.db,
    { deploy: deployKind(stage.parts), ...operationKinds(stage.parts) },
    { owner: stage.parts.leases.owner, poll_ms: 50, onError: (error) => errors.push(error) },
  );

async function begun(): Promise<{ id: string }> {
  const { ref } = await stage.push();
  return await deploy(stage.parts, await root(), { ref, target: 'cloud', force: true });
}

async function ended({ id }: { id: string }): Promise<Deployment> {
  for await (const _ of runEvents(stage.parts.db, id, 0, signal()));
  return await showDeploy(stage.parts.db, await root(), id);
}

const deployed = async () => await ended(await begun());

/** As the sweep and `svc server gc` do it. */
async function collect() {
  const found = (await stage.targets['cloud']?.list(signal())) ?? [];
  return await collectTarget(stage.parts, { target: 'cloud', found, age_ms: 0 }, signal());
}

test('a deploy whose replicas never join leaves nothing at the vendor, and nothing open in the ledger', async () => {
  expect(await deployed()).toMatchObject({ state: 'failed', problem: { code: 'start_failed' } });
  expect(vendor.calls).toBeGreaterThan(8);
  expect([...vendor.things]).toEqual([]);
  expect(await ledger.list()).toEqual([]);
  const rows = await stage.parts.db.all(sql`select kind from target_resource where removed_at is not null`);
  expect(rows).toHaveLength(3);
}, 30_000);

test('T577: after a vendor that died after any of its calls, everything it has is known, and is collected', async () => {
  let known = 0;
  for (let n = 1; ; n++) {
    vendor.revive({ dies_after: n });
    await deployed();
    const hasDied = vendor.isDead();
    const listed = (await ledger.list()).map(({ kind, name }) => `${kind} ${name}`);
    const there = [...vendor.things.keys()];
    expect(there.filter((one) => !listed.includes(one))).toEqual([]);
    known += there.length;
    vendor.revive();
    expect(await collect()).toMatchObject({ left: [], errors: [] });
    expect([...vendor.things]).toEqual([]);
    expect(await ledger.list()).toEqual([]);
    if (!hasDied) break;
  }
  // Else no death of the vendor left anything.
  expect(known).toBeGreaterThan(10);
}, 120_000);

test('T577: after a service that was killed during any call that makes something, the next one finds it', async () => {
  let found = 0;
  for (let n = 1; ; n++) {
    vendor.revive({ hangs_after: n });
    const run = await begun();
    const isOver = ended(run);
    const isKilled = async () => await expect.poll(vendor.isDead, { timeout: 10_000 }).toBe(true);
    await Promise.race([isOver, isKilled()]);
    const wasKilled = vendor.isDead();
    await worker.stop();
    found += vendor.things.size;
    vendor.revive();
    worker = await work();
    expect(await isOver).toMatchObject({ state: 'failed', problem: { code: 'start_failed' } });
    expect(await collect()).toMatchObject({ left: [], errors: [] });
    expect([...vendor.things]).toEqual([]);
    expect(await ledger.list()).toEqual([]);
    if (!wasKilled) break;
  }
  expect(found).toBeGreaterThan(5);
}, 120_000);
