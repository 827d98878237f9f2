import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { closePending } from '../approvals/approval-for.ts';
import { sql } from '../../ground/database/sql.ts';
import { runEvents } from '../../ground/runs/events.ts';
import { startWorker, type Worker } from '../../ground/runs/worker.ts';
import type { Person } from '../../testing/access/cast.ts';
import { openDeployStage, type DeployStage } from '../../testing/agents/deploy-stage.ts';
import { deploy } from './deploy.ts';
import { create } from '../../assets/registry/assets/create.ts';
import { deleteAsset } from '../../assets/registry/assets/delete.ts';
import { formerPrice } from '../../assets/registry/former-models.ts';
import { usedBy } from '../../assets/registry/references/in-use.ts';
import { deployKind } from './deploy-kind.ts';
import { showDeploy } from './deployments/find-deploy.ts';
import { findNamedUsers } from './named-users.ts';
import { removeTargetRows } from './targets/named/remove-rows.ts';
import { plan } from './plan.ts';
import { showStatus } from './status/show-status.ts';
import { rules } from '../../testing/pushes/rules.ts';

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

test('a model that the team may not use is named with the command that adds it; an agent that names none gets no notice', async () => {
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
  expect(await verdictsOn('')).toEqual([]);
  await addModel('gpt-4o-mini', 'openai');
  expect(await verdictsOn('')).toEqual([]);
  expect(await verdictsOn('model: {primary: gpt-4o-mini}\n')).toEqual([]);
  expect(await verdictsOn('model: {primary: gpt-4o-mni, fallback: llama3.2}\n')).toEqual([
    '`model.primary` is gpt-4o-mni, and team:ml may use no such model, so its calls get 403. Did you mean gpt-4o-mini? Add it: svc model add gpt-4o-mni --provider openai --team ml',
    '`model.fallback` is llama3.2, and team:ml may use no such model, so its calls get 403. Add it: svc model add llama3-2 --provider <provider> --model llama3.2 --team ml',
  ]);
});

test('a plan says how long what it keeps stays, who shares it, and what a shorter time ends', async () => {
  const ada = await stage.cast.caller('ada');
  const config = { kind: 'window', max_messages: 20, scope: 'agent', ttl_seconds: 7200 };
  const fields = { team: 'ml', version: '1.0.0', description: '', tags: [], visibility: 'org' as const };
  const parts = { db: stage.database.db, rules };
  await create(parts, ada, 'memory-config', { ...fields, name: 'short', config });
  await create(parts, ada, 'memory-config', { ...fields, name: 'long', config: { ttl_seconds: 864_000 } });
  const memoryIn = async (ref: string) => {
    const { verdicts, changes } = await planAs('root', ref);
    const reach = changes.reach.filter(({ kind }) => kind.includes('memory'));
    return {
      said: verdicts.filter(({ check }) => check === 'memory').map(({ verdict, detail }) => `${verdict} ${detail}`),
      reach: reach.map(({ kind, name, change }) => `${change} ${kind} ${name}`),
    };
  };
  const { name, ref } = await stage.push({ yaml: 'memory: memory-configs/long\n' });
  expect(await memoryIn(ref)).toEqual({
    said: ['pass memory-configs/long: threads and items end 10 days after their last use.'],
    reach: ['added memory-config memory-configs/long'],
  });
  const { id } = await deploy(stage.parts, await stage.cast.caller('root'), { ref, force: false });
  for await (const _ of runEvents(stage.database.db, id, 0, AbortSignal.timeout(20_000)));
  const next = await stage.push({ name, yaml: 'memory: memory-configs/short\n', version: '1.1.0' });
  expect(await memoryIn(next.ref)).toEqual({
    said: [
      'notice memory-configs/short: threads and items end 2 hours after their last use; its model gets the newest 20 messages. Until now 10 days: older ones end within an hour of the deploy, for good.',
    ],
    reach: [
      'added shared-memory of all its callers',
      'removed memory-config memory-configs/long',
      'added memory-config memory-configs/short',
    ],
  });
});

async function modelsGoneOf(name: string): Promise<string[]> {
  const { attention } = await showStatus(
    stage.parts,
    await stage.cast.caller('root'),
    name,
    AbortSignal.timeout(20_000),
  );
  return attention.filter(({ kind }) => kind === 'model').map(({ detail }) => detail);
}

describe('a model that is called by name', () => {
  const parts = () => ({
    db: stage.database.db,
    closeRequests: closePending,
    findNamedUsers,
    removeRows: { target: removeTargetRows },
  });
  const remove = async (name: string, more: { force?: boolean; reason?: string } = {}) =>
    await deleteAsset(parts(), await stage.cast.caller('max'), { kind: 'model', name, ...more });
  const deployed = async (yaml: string) => {
    const { ref, name } = await stage.push({ yaml });
    const { id } = await deploy(stage.parts, await stage.cast.caller('root'), { ref, force: false });
    for await (const _ of runEvents(stage.database.db, id, 0, AbortSignal.timeout(20_000)));
    return name;
  };

  test('is not removed while an agent, a judge or a fallback means it, unless by force, on record', async () => {
    await addModel('llama', 'openai', { aliases: ['quick'], price_usd_per_million: { input: '1', output: '2' } });
    await addModel('judge', 'openai');
    await addModel('other', 'openai', { fallbacks: ['llama'] });
    const bot = await deployed(
      'model: {primary: quick}\nguardrails: [{name: prompt_injection, options: {model: judge}}]\n',
    );
    await deployed('');
    const refused = { code: 'in_use', hint: expect.stringContaining('--force --reason') };
    await expect(remove('judge')).rejects.toMatchObject({ ...refused, fields: { used_by: [`agents/${bot}`] } });
    const used_by = [`agents/${bot}`, 'models/other'];
    await expect(remove('llama')).rejects.toMatchObject({ ...refused, fields: { used_by } });
    const shown = await usedBy(parts(), await stage.cast.caller('max'), { kind: 'model', name: 'llama' });
    expect(shown).toEqual({ assets: used_by, settings: [], hidden: 0 });
    const gone = async () => await modelsGoneOf(bot);
    expect(await gone()).toEqual([]);

    await remove('llama', { force: true, reason: 'its contract has ended' });
    const [entry] = await stage.database.db.all<{ detail: object }>(
      sql`select body::json -> 'detail' as detail from audit.entry where event = 'asset.deleted' order by seq desc limit 1`,
    );
    expect(entry?.detail).toMatchObject({ forced: true, reason: 'its contract has ended', used_by });
    expect(await gone()).toEqual([expect.stringMatching(/^Its model quick is none that team:ml may use/)]);
    await addModel('llama', 'openai', { aliases: ['quick'] });
    expect(await gone()).toEqual([]);
    const team_id = stage.cast.team('ml');
    expect(await formerPrice(stage.database.db, { name: 'llama', team_id })).toMatchObject({ input: '1', output: '2' });
  });

  test('and no longer exists is named so by the status', async () => {
    await addModel('mistral', 'openai');
    const name = await deployed('model: {primary: mistral}\n');
    await remove('mistral', { force: true, reason: 'a test' });
    expect(await modelsGoneOf(name)).toEqual([
      expect.stringMatching(
        /^Its model mistral no longer exists, so its calls get 403\. Add it: svc model add mistral/,
      ),
    ]);
  });
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

async function addModel(name: string, provider: string, more: object = {}): Promise<void> {
  const config = { provider, model: name, type: 'chat' as const, ...more };
  const made = { name, team: 'ml', version: '1.0.0', description: '', tags: [], visibility: 'org', config } as const;
  await create({ db: stage.database.db, rules }, await stage.cast.caller('max'), 'model', { ...made, tags: [] });
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
