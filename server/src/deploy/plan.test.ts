import { afterAll, beforeAll, expect, test } from 'vitest';
import { runEvents } from '../runs/events.ts';
import { startWorker, type Worker } from '../runs/worker.ts';
import type { Person } from '../testing/cast.ts';
import { openDeployStage, type DeployStage } from '../testing/deploy-stage.ts';
import { deploy } from './deploy.ts';
import { deployKind } from './deploy-kind.ts';
import { plan } from './plan.ts';

let stage: DeployStage;
let worker: Worker;
beforeAll(async () => {
  stage = await openDeployStage();
  worker = await startWorker(
    stage.database.db,
    { deploy: deployKind(stage.parts) },
    { owner: 'test', onError: () => {} },
  );
});
afterAll(async () => {
  await worker?.stop();
  await stage?.close();
});

const planAs = async (person: Person, ref: string, target?: string) =>
  await plan(stage.database.db, await stage.cast.caller(person), { ref, target });

test('a plan gives the verdict of every check, changes nothing, and gives the reason for a refusal', async () => {
  const { ref } = await stage.push({ yaml: 'deploy: {region: eu-west-1}\n' });
  const before = await planAs('dora', ref);
  expect(before).toMatchObject({ ref, deployable: false, running: null, target: 'local' });
  expect(before.verdicts.map(({ check, verdict }) => `${check} ${verdict}`)).toEqual([
    'validate pass',
    'validate notice',
    'authorize fail',
    'resolve pass',
    'queue pass',
  ]);
  await stage.approve(ref);
  expect(await planAs('dora', ref)).toMatchObject({ deployable: true });
  expect(await planAs('ada', ref)).toMatchObject({ deployable: false });
  expect(await planAs('dora', ref, 'aws')).toMatchObject({ deployable: false, target: 'aws' });
  expect(stage.provisioned).toBe(0);
  await expect(planAs('dora', 'agents/nobody@1.0.0')).rejects.toMatchObject({ code: 'not_found' });
});

test('a plan shows the changes against the running revision, and hides values of variables from readers without write', async () => {
  const { name, ref } = await stage.push({ yaml: 'deploy: {env_vars: {MODE: one}}\n' });
  const { id } = await deploy(stage.parts, await stage.cast.caller('root'), { ref, force: false });
  for await (const _ of runEvents(stage.database.db, id, 0, AbortSignal.timeout(20_000)));
  const same = await planAs('root', ref);
  expect(same.verdicts.at(-1)).toMatchObject({ check: 'difference', verdict: 'notice' });
  const next = await stage.push({
    name,
    version: '1.1.0',
    yaml: 'deploy: {env_vars: {MODE: two}}\n',
    files: { 'more.py': 'x = 1\n' },
  });
  const shown = await planAs('ada', next.ref);
  expect(shown).toMatchObject({
    running: ref,
    changes: {
      base_image: null,
      files: expect.arrayContaining([
        expect.objectContaining({
          path: 'more.py',
          change: 'added',
          after_bytes: 6,
          diff: expect.stringContaining('+x = 1\n'),
        }),
      ]),
    },
  });
  expect(shown.changes.config).toContainEqual({ path: 'deploy.env_vars.MODE', before: 'one', after: 'two' });
  const outside = (await planAs('vera', next.ref)).changes;
  expect(outside.files.map(({ diff, no_diff }) => [diff, no_diff])).toEqual(
    outside.files.map(() => [null, 'not_permitted']),
  );
  expect(outside.config).toContainEqual({
    path: 'deploy.env_vars.MODE',
    before: '(hidden)',
    after: '(hidden)',
  });
});
