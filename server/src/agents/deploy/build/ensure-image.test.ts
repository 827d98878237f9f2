import { Problem, type ProblemCode } from '@gantry/contract/problems.ts';
import type { Deployment } from '@gantry/contract/agents/deploy.ts';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { runEvents } from '../../../ground/runs/events.ts';
import { startWorker, type Worker } from '../../../ground/runs/worker.ts';
import { openDeployStage, type DeployStage } from '../../../testing/agents/deploy-stage.ts';
import { entriesNaming } from '../../../testing/access/entries-naming.ts';
import { deployKind } from '../deploy-kind.ts';
import { deploy } from '../deploy.ts';
import { showDeploy } from '../deployments/find-deploy.ts';
import { logs } from '../logs.ts';
import { operationKinds } from '../operate/kinds.ts';
import { start } from '../operate/start.ts';
import { instancesOfRevision } from '../instance-store.ts';
import * as store from '../store.ts';
import { ensureImage } from './ensure-image.ts';

let stage: DeployStage;
let worker: Worker;
const signal = AbortSignal.timeout(240_000);

beforeAll(async () => {
  stage = await openDeployStage();
  worker = await startWorker(
    stage.database.db,
    { deploy: deployKind(stage.parts), ...operationKinds(stage.parts) },
    { owner: 'test', onError: () => {}, poll_ms: 100 },
  );
});
beforeEach(() => stage.clear());
afterAll(async () => {
  await worker?.stop();
  await stage?.close();
});

/** A deployed agent whose container and image were removed from the engine. */
async function pruned(): Promise<{ name: string; id: string; image: string }> {
  const { name, ref } = await stage.push();
  const { id } = await deploy(stage.parts, await stage.cast.caller('root'), { ref, force: false });
  for await (const _ of runEvents(stage.database.db, id, 0, signal));
  const image = await imageOf(id);
  stage.containers.delete(id);
  stage.lost.add(image);
  return { name, id, image };
}

const imageOf = async (id: string) => (await store.revision(stage.database.db, id))?.image ?? '';
/** A start by an admin, with its end. */
async function started(name: string): Promise<Deployment> {
  const root = await stage.cast.caller('root');
  const { id } = await start(stage.parts, root, name);
  for await (const _ of runEvents(stage.database.db, id, 0, signal));
  return await showDeploy(stage.database.db, root, id);
}
const rebuilds = async (id: string) =>
  (await entriesNaming(stage.database.db, id)).filter(({ event }) => event === 'revision.rebuilt');

test('a lost image is rebuilt from the stored content, and the revision changes with the entry about it', async () => {
  const { name, id, image } = await pruned();
  const images: string[] = [];
  const { provision } = stage.targets.local;
  stage.targets.local.provision = async (input, until) => {
    images.push(input.image);
    return await provision(input, until);
  };
  expect(await started(name)).toMatchObject({ state: 'done' });
  const after = await imageOf(id);
  expect(after).not.toBe(image);
  expect(images).toEqual([after]);
  const lock = expect.stringMatching(/^sha256:[0-9a-f]{64}$/);
  expect(await rebuilds(id)).toEqual([
    expect.objectContaining({ detail: expect.objectContaining({ revision: id, before: image, after, lock }) }),
  ]);
  stage.containers.delete(id);
  expect(await started(name)).toMatchObject({ state: 'done' });
  expect(await rebuilds(id)).toHaveLength(1);
  const wish = { follow: false, tail: 200, text: 'building' };
  const lines = await Array.fromAsync(
    await logs(stage.parts, await stage.cast.caller('root'), name, wish, signal),
    ({ data }) => data,
  );
  expect(lines.filter(({ instance }) => instance === null)).toMatchObject([{ revision: id, line: 'building 1.0.0' }]);
});

test('two instances that miss the image at once get the same one, with one entry', async () => {
  const { id } = await pruned();
  const revision = await store.revision(stage.database.db, id);
  if (revision === undefined) throw new Error('there is no revision');
  const both = [ensureImage(stage.parts, revision, signal), ensureImage(stage.parts, revision, signal)];
  expect(new Set(await Promise.all(both))).toEqual(new Set([await imageOf(id)]));
  expect(await rebuilds(id)).toHaveLength(1);
});

test.each<{ cause: ProblemCode; command: string }>([
  { cause: 'base_image_missing', command: 'svc deploy --bump patch' },
  { cause: 'build_failed', command: 'svc deploy --bump patch' },
  { cause: 'index_unreachable', command: 'svc start' },
])(
  'an image that cannot be rebuilt because of $cause is refused with the command, and the status has it',
  async ({ cause, command }) => {
    const { name, id, image } = await pruned();
    stage.duringBuild = async () => {
      throw new Problem(cause, { detail: 'A wheel is gone' });
    };
    const { state, problem } = await started(name);
    expect(state).toBe('failed');
    expect(problem).toMatchObject({
      code: 'image_missing',
      detail: `The image of agents/${name}@1.0.0 is missing, and it cannot be rebuilt. A wheel is gone.`,
      hint: expect.stringContaining(command),
      cause,
      image,
    });
    const instances = await instancesOfRevision(stage.database.db, id);
    expect(instances).toEqual([expect.objectContaining({ last_exit: expect.stringContaining(command), url: null })]);
    expect(await imageOf(id)).toBe(image);
    expect(await rebuilds(id)).toEqual([]);
  },
);

test('a silent engine is no missing image', async () => {
  const { name } = await pruned();
  stage.duringBuild = async () => {
    throw new Problem('engine_unavailable', { detail: 'The container engine does not answer' });
  };
  expect(await started(name)).toMatchObject({ problem: { code: 'engine_unavailable' } });
});
