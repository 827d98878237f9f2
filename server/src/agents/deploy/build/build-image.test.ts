// The base image of a version, on the real engine. Only the containers of agents are fakes.
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import type { Deployment } from '@gantry/contract/agents/deploy.ts';
import { sql } from '../../../ground/database/sql.ts';
import type { Image } from '../../../assets/docker/base-image.ts';
import type { Sandboxes } from '../../../assets/workshop/sandboxes.ts';
import { testInstallation } from '../../../assets/workshop/test-installation.ts';
import { digestOf } from '../../../assets/registry/content.ts';
import { content, insertContent } from '../../../assets/registry/content-store.ts';
import { runEvents } from '../../../ground/runs/events.ts';
import { startWorker, type Worker } from '../../../ground/runs/worker.ts';
import { testConfig } from '../../../testing/config.ts';
import { openDeployStage, type DeployStage } from '../../../testing/agents/deploy-stage.ts';
import { removeLeftovers } from '../../../testing/engine-leftovers.ts';
import { entriesNaming } from '../../../testing/access/entries-naming.ts';
import { deployKind } from '../deploy-kind.ts';
import { deploy } from '../deploy.ts';
import { showDeploy } from '../deployments/find-deploy.ts';
import { operationKinds } from '../operate/kinds.ts';
import { start } from '../operate/start.ts';
import * as store from '../store.ts';
import { imageBuilder } from './build-image.ts';
import { pruneImages } from '../../../assets/images/prune-images.ts';

const { engine, open } = testInstallation(testConfig());
const signal = AbortSignal.timeout(240_000);
let sandboxes: Sandboxes;
let stage: DeployStage;
let worker: Worker;
/** The base image as the service finds it. */
let base: Image;

beforeAll(async () => {
  sandboxes = await open();
  stage = await openDeployStage();
  stage.parts.builder = imageBuilder({
    db: stage.database.db,
    engine,
    pythons: { sandboxes: async () => ({ ...sandboxes, base }) },
    wrapper_directory: join(import.meta.dirname, '../../../../../wrapper/_svc_wrapper'),
  });
  const kinds = { deploy: deployKind(stage.parts), ...operationKinds(stage.parts) };
  worker = await startWorker(stage.database.db, kinds, { owner: 'test', onError: () => {}, poll_ms: 100 });
}, 180_000);
beforeEach(() => {
  base = sandboxes.base;
});
afterAll(async () => {
  await worker?.stop();
  await stage?.close();
  await sandboxes?.close();
  await removeLeftovers(engine);
  await pruneImages(engine, new Set(), { older_than_seconds: Infinity, signal });
}, 60_000);

/** An approved version. Its base image is the id of an image, as pushes of schema 1 stored it. */
async function approvedBefore(
  base_image: string,
): Promise<{ name: string; ref: string; digest: string; approval_id: string }> {
  const { db } = stage.database;
  const { name, ref } = await stage.push({ yaml: `description: ${base_image}\n` });
  const [pushed] = await db.all<{ id: string; digest: string }>(
    sql`select v.id, v.digest from version v join asset a on a.id = v.asset_id where a.name = ${name}`,
  );
  const now = await content(db, pushed?.digest ?? '');
  if (now === undefined) throw new Error(`${ref} has no content`);
  const { config, manifest, python, pins } = now;
  const hashed = { schema: 1 as const, config, manifest, lock: '', base_image, python, pins };
  const digest = digestOf(hashed);
  await insertContent(db, { ...now, ...hashed, digest });
  await stage.cast.write('version', sql`update version set digest = ${digest} where id = ${pushed?.id} returning id`);
  return { name, ref, digest, approval_id: await stage.approve(ref) };
}

async function deployed(ref: string): Promise<Deployment> {
  return await ended(await deploy(stage.parts, await stage.cast.caller('dora'), { ref, force: false }));
}

async function ended({ id }: Deployment): Promise<Deployment> {
  for await (const _ of runEvents(stage.database.db, id, 0, signal));
  return await showDeploy(stage.database.db, await stage.cast.caller('dora'), id);
}

test('what was approved before keeps its digest and approval, and its pin is looked up once', async () => {
  const { ref, digest, approval_id } = await approvedBefore(base.id);
  expect(await deployed(ref)).toMatchObject({ state: 'done', digest, approval_id, problem: null });
  expect(await content(stage.database.db, digest)).toMatchObject({ base_image: base.id, base_pin: base.pin });
  const { db } = stage.database;
  await expect(db.run(sql`update base_pin set pin = 'sha256:other'`)).rejects.toThrow(/never changes/);
  await expect(db.run(sql`delete from base_pin`)).rejects.toThrow(/never changes/);

  const again = await approvedBefore(base.id);
  base = { ...base, id: `sha256:${'1'.repeat(64)}` };
  expect(await deployed(again.ref)).toMatchObject({ state: 'done', digest: again.digest });
}, 120_000);

test('a prune first looks up the pins of all approved versions', async () => {
  const { docker } = engine;
  const older = await docker.getImage(base.id).inspect();
  const made = `gantry-older-base:${engine.installation_id}`;
  const [repo, tag] = made.split(':');
  const container = await docker.createContainer({ Image: older.Id, Cmd: ['true'] });
  const { Id } = (await container.commit({ repo, tag, changes: ['USER nobody'] })) as { Id: string }; // untyped in the client
  await container.remove();
  const { digest } = await approvedBefore(Id);
  expect(await stage.parts.builder.prune(async () => ({ images: new Set(), team_ids: new Set(['any']) }), signal)).toBe(
    true,
  );
  await docker.getImage(made).remove();
  const pin = (await content(stage.database.db, digest))?.base_pin;
  expect(pin).toMatch(/^sha256:[0-9a-f]{64}$/);
  expect(pin).not.toBe(base.pin);
});

test('a version is built on no other base image, and the refusal names both', async () => {
  const { ref } = await approvedBefore(base.id);
  const pushed = base.pin;
  base = { ...base, pin: `sha256:${'2'.repeat(64)}` };
  expect(await deployed(ref)).toMatchObject({
    state: 'failed',
    problem: {
      code: 'base_image_missing',
      detail: `${ref} was pushed on the base image with the pin ${pushed}; this service builds on ${base.pin} now.`,
      hint: expect.stringContaining('Push it again'),
    },
  });
  const gone = await approvedBefore(`sha256:${'3'.repeat(64)}`);
  expect(await deployed(gone.ref)).toMatchObject({
    state: 'failed',
    problem: { code: 'base_image_missing', detail: expect.stringContaining('is not in the engine') },
  });
});

test('images that were removed from the engine are built again at the next start, on the record', async () => {
  const { name, ref } = await approvedBefore(base.id);
  const { id } = await deployed(ref);
  const before = (await store.revision(stage.database.db, id))?.image ?? '';
  stage.containers.delete(id);
  await pruneImages(engine, new Set(), { older_than_seconds: Infinity, signal });
  expect(await stage.parts.builder.hasImage(before, signal)).toBe(false);
  expect(await ended(await start(stage.parts, await stage.cast.caller('dora'), name))).toMatchObject({ state: 'done' });
  const after = (await store.revision(stage.database.db, id))?.image ?? '';
  expect(await stage.parts.builder.hasImage(after, signal)).toBe(true);
  const entries = await entriesNaming(stage.database.db, id);
  expect(entries.find(({ event }) => event === 'revision.rebuilt')?.detail).toMatchObject({ before, after });
}, 120_000);
