import { afterAll, beforeAll, expect, test } from 'vitest';
import { runEvents } from '../runs/events.ts';
import { startWorker, type Worker } from '../runs/worker.ts';
import type { Person } from '../testing/cast.ts';
import { openDeployStage, type DeployStage } from '../testing/deploy-stage.ts';
import { deploy } from './deploy.ts';
import { deployKind } from './deploy-kind.ts';
import { difference, isEmpty } from './difference.ts';
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
const file = (path: string, sha256: string) => ({ path, sha256, size: 1 });
const content = {
  config: { name: 'a' },
  manifest: [],
  dependencies: { packages: [], built_from_source: [] },
  base_image: 'sha256:a',
};

test('the same content has no difference, and against nothing everything is new', () => {
  expect(isEmpty(difference(content, content))).toBe(true);
  expect(difference(undefined, { ...content, manifest: [file('agent.py', '1')] })).toEqual({
    config: [{ path: 'name', before: null, after: 'a' }],
    files: [{ path: 'agent.py', change: 'added' }],
    dependencies: [],
    base_image: null,
  });
});

test('config is compared by path, files by hash, packages by version, and the base image as a whole', () => {
  const before = {
    config: { name: 'a', deploy: { resources: { cpu: '1', memory: '1Gi' } }, tags: ['x'] },
    manifest: [file('agent.py', '1'), file('gone.py', '2'), file('same.py', '3')],
    dependencies: {
      packages: [
        { name: 'langgraph', version: '1.0.0' },
        { name: 'old', version: '1' },
      ],
      built_from_source: [],
    },
    base_image: 'sha256:a',
  };
  const after = {
    config: { name: 'a', deploy: { resources: { cpu: '2', memory: '1Gi' } }, tags: ['x', 'y'], description: 'new' },
    manifest: [file('agent.py', '9'), file('new.py', '4'), file('same.py', '3')],
    dependencies: {
      packages: [
        { name: 'langgraph', version: '1.1.0' },
        { name: 'new', version: '2' },
      ],
      built_from_source: [],
    },
    base_image: 'sha256:b',
  };
  expect(difference(before, after)).toEqual({
    config: [
      { path: 'deploy.resources.cpu', before: '1', after: '2' },
      { path: 'description', before: null, after: 'new' },
      { path: 'tags', before: ['x'], after: ['x', 'y'] },
    ],
    files: [
      { path: 'agent.py', change: 'changed' },
      { path: 'gone.py', change: 'removed' },
      { path: 'new.py', change: 'added' },
    ],
    dependencies: [
      { package: 'langgraph', before: '1.0.0', after: '1.1.0' },
      { package: 'new', before: null, after: '2' },
      { package: 'old', before: '1', after: null },
    ],
    base_image: { before: 'sha256:a', after: 'sha256:b' },
  });
});

test('a plan gives the verdict of every check, does nothing, and says why a deploy would be refused', async () => {
  const { ref } = await stage.push({ yaml: 'model: {primary: gpt-5}\n' });
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

test('a plan shows what would change against the revision that runs, and hides the values of variables from who may not write', async () => {
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
    changes: { base_image: null, files: expect.arrayContaining([{ path: 'more.py', change: 'added' }]) },
  });
  expect(shown.changes.config).toContainEqual({ path: 'deploy.env_vars.MODE', before: 'one', after: 'two' });
  expect((await planAs('vera', next.ref)).changes.config).toContainEqual({
    path: 'deploy.env_vars.MODE',
    before: '(hidden)',
    after: '(hidden)',
  });
});
