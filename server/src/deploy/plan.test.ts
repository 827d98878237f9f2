import { afterAll, beforeAll, expect, test } from 'vitest';
import { runEvents } from '../runs/events.ts';
import { startWorker, type Worker } from '../runs/worker.ts';
import type { Person } from '../testing/cast.ts';
import { openDeployStage, type DeployStage } from '../testing/deploy-stage.ts';
import { deploy } from './deploy.ts';
import { create } from '../registry/assets/create.ts';
import { deployKind } from './deploy-kind.ts';
import { showDeploy } from './find-deploy.ts';
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
  await plan(stage.parts, await stage.cast.caller(person), { ref, target });

test('a plan gives the verdict of every check, changes nothing, and gives the reason for a refusal', async () => {
  const { ref } = await stage.push({ yaml: 'deploy: {region: eu-west-1}\n' });
  const before = await planAs('dora', ref);
  expect(before).toMatchObject({ ref, deployable: false, running: null, target: 'local' });
  expect(before.verdicts.map(({ check, verdict }) => `${check} ${verdict}`)).toEqual([
    'validate pass',
    'validate notice',
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

test('a model that the team may not use is named with the command that adds it, and so is a catalogue without one', async () => {
  const verdictsOn = async (yaml: string) => {
    const { ref } = await stage.push({ yaml });
    const { id } = await deploy(stage.parts, await stage.cast.caller('root'), { ref, force: false });
    for await (const _ of runEvents(stage.database.db, id, 0, AbortSignal.timeout(20_000)));
    const { notices, state } = await showDeploy(stage.database.db, await stage.cast.caller('root'), id);
    const planned = (await planAs('root', ref)).verdicts.filter(({ detail }) => / model /.test(detail));
    expect([state, planned.map(({ verdict, detail }) => `${verdict} ${detail}`)]).toEqual([
      'done',
      notices.map((notice) => `notice ${notice}`),
    ]);
    return notices;
  };
  expect(await verdictsOn('')).toEqual([
    'No model is set up that team:ml may use. An agent that calls one needs it: svc model add --team ml',
  ]);
  await addModel('gpt-4o-mini', 'openai');
  expect(await verdictsOn('')).toEqual([]);
  expect(await verdictsOn('model: {primary: gpt-4o-mini}\n')).toEqual([]);
  expect(await verdictsOn('model: {primary: gpt-4o-mni, fallback: llama3.2}\n')).toEqual([
    '`model.primary` is gpt-4o-mni, and team:ml may use no such model, so its calls get 403. Did you mean gpt-4o-mini? Add it: svc model add gpt-4o-mni --provider openai --team ml',
    '`model.fallback` is llama3.2, and team:ml may use no such model, so its calls get 403. Add it: svc model add llama3-2 --provider <provider> --model llama3.2 --team ml',
  ]);
});

test('a fallback that the catalogue has in another format is refused by the push, and by a deploy of an earlier push', async () => {
  const yaml = (fallback: string) => `model: {primary: fast, fallback: ${fallback}}\n`;
  await addModel('fast', 'openai');
  await addModel('spare', 'openai');
  await stage.push({ yaml: yaml('spare') });
  const { ref } = await stage.push({ yaml: yaml('wise') });
  await addModel('wise', 'anthropic');
  const sentence =
    '`wise` is called in the format of Anthropic and `fast` in that of OpenAI; a fallback keeps the format';
  await expect(stage.push({ yaml: yaml('wise') })).rejects.toThrow(sentence);
  const { id } = await deploy(stage.parts, await stage.cast.caller('root'), { ref, force: false });
  for await (const _ of runEvents(stage.database.db, id, 0, AbortSignal.timeout(20_000)));
  expect(await showDeploy(stage.database.db, await stage.cast.caller('root'), id)).toMatchObject({
    state: 'failed',
    problem: { code: 'project_invalid', detail: `${sentence}.` },
  });
  expect(await planAs('root', ref)).toMatchObject({ deployable: false });
});

async function addModel(name: string, provider: string): Promise<void> {
  const config = { provider, model: name, type: 'chat' as const };
  const made = { name, team: 'ml', version: '1.0.0', description: '', tags: [], visibility: 'org', config } as const;
  await create(stage.database.db, await stage.cast.caller('max'), 'model', { ...made, tags: [] });
}

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
