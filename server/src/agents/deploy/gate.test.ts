// Changes between the approval and the run. A deploy follows the state at its run.
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { Deployment } from '@gantry/contract/agents/deploy.ts';
import type { ConfigOnlyKind } from '@gantry/contract/assets/asset-kinds.ts';
import { printRef } from '@gantry/contract/refs.ts';
import { sql } from '../../ground/database/sql.ts';
import { closePending } from '../approvals/approval-for.ts';
import { create } from '../../assets/registry/assets/create.ts';
import { edit } from '../../assets/registry/assets/edit.ts';
import { transfer, type MoveKeys } from '../../assets/registry/ownership/transfer.ts';
import { runEvents } from '../../ground/runs/events.ts';
import { startWorker, type Worker } from '../../ground/runs/worker.ts';
import { setSecret } from '../../assets/secrets/set.ts';
import { twoConfigs } from '../../testing/pushes/asset-configs.ts';
import { emailOf, type Person } from '../../testing/access/cast.ts';
import { openDeployStage, type DeployStage } from '../../testing/agents/deploy-stage.ts';
import { deploy } from './deploy.ts';
import { deployKind } from './deploy-kind.ts';
import { showDeploy } from './deployments/find-deploy.ts';
import { plan } from './plan.ts';
import { moveRevisionKeys } from './revision-key.ts';
import type { Lease } from './keep/agent-leases.ts';
import { restartContainer } from './keep/restart-container.ts';
import { deployMutex } from './deploy-run.ts';
import { restart } from './operate/restart.ts';
import { setDefaultTarget } from './operate/set-default-target.ts';
import { findNamedUsers } from './named-users.ts';
import { findSecretUsers } from './secret-users.ts';
import * as instanceStore from './instance-store.ts';
import { rules } from '../../testing/pushes/rules.ts';

let stage: DeployStage;
let worker: Worker | undefined;
let errors: unknown[] = [];
let made = 0;

beforeAll(async () => void (stage = await openDeployStage()));
afterAll(async () => await stage?.close());
beforeEach(() => stage.clear());
afterEach(async () => {
  await worker?.stop();
  worker = undefined;
  expect(errors.splice(0)).toEqual([]);
});

const ask = async (person: Person, ref: string) =>
  await deploy(stage.parts, await stage.cast.caller(person), { ref, force: false });

/** Starts the queued runs. */
async function ended({ id }: { id: string }): Promise<Deployment> {
  worker ??= await startWorker(
    stage.database.db,
    { deploy: deployKind(stage.parts) },
    { owner: 'test', poll_ms: 50, onError: (error) => errors.push(error) },
  );
  for await (const _ of runEvents(stage.database.db, id, 0, AbortSignal.timeout(20_000)));
  return await showDeploy(stage.database.db, await stage.cast.caller('root'), id);
}

interface Referenced {
  ref: string;
  /** Gives the asset other content under the next version. */
  change(): Promise<unknown>;
  /** Changes the description, but not the behaviour. */
  describe(): Promise<unknown>;
}

async function simple(kind: ConfigOnlyKind): Promise<Referenced> {
  const { db } = stage.database;
  const name = `thing-${++made}`;
  const [config, other] = twoConfigs[kind];
  const editing = { db, rules, findNamedUsers };
  const ada = await stage.cast.caller('ada');
  const fields = { name, team: 'ml', version: '1.0.0', description: '', tags: [] };
  await create(editing, ada, kind, { ...fields, visibility: 'org', config });
  return {
    ref: printRef({ kind, name }),
    change: async () => await edit(editing, ada, { kind, name }, { version: '1.1.0', config: other }),
    describe: async () =>
      await edit(editing, ada, { kind, name }, { version: '1.0.0', description: 'new words', config }),
  };
}

/** `memory` is the only field with one reference. */
const naming = (field: string, ref: string) => `${field}: ${field === 'memory' ? ref : `[${ref}]`}\n`;

describe.each([
  ['tool', 'tools', async () => await simple('tool')],
  ['knowledge base', 'knowledge_bases', async () => await simple('knowledge-base')],
  ['MCP server', 'mcp_servers', async () => await simple('mcp-server')],
  ['memory config', 'memory', async () => await simple('memory-config')],
] as const)('a referenced %s', (_, field, make) => {
  test('that changed after the approval refuses the deploy, also a queued one, and names both versions', async () => {
    const referenced = await make();
    const { ref } = await stage.push({ yaml: naming(field, referenced.ref) });
    await stage.approve(ref);
    await referenced.describe();
    const queued = await ask('dora', ref);
    await referenced.change();
    const says = `${referenced.ref} was 1.0.0 at the push and is now 1.1.0, with other content.`;
    const refused = await ended(queued);
    expect(refused).toMatchObject({
      state: 'failed',
      problem: {
        code: 'reference_changed',
        detail: says,
        hint: expect.stringContaining('`svc submit`'),
        errors: [{ ref: referenced.ref, before: '1.0.0', after: '1.1.0' }],
      },
    });
    expect(refused.steps.find(({ name }) => name === 'resolve')).toMatchObject({ state: 'failed' });
    expect(stage.provisioned).toBe(0);
    for (const person of ['dora', 'root'] as const)
      await expect(ask(person, ref)).rejects.toMatchObject({ code: 'reference_changed', status: 409, detail: says });
    const { verdicts } = await plan(stage.parts, await stage.cast.caller('dora'), { ref });
    expect(verdicts).toContainEqual({ check: 'resolve', verdict: 'fail', detail: says });
  });

  test('that is unchanged is deployed', async () => {
    const referenced = await make();
    const { ref } = await stage.push({ yaml: naming(field, referenced.ref) });
    await stage.approve(ref);
    await referenced.describe();
    expect(await ended(await ask('dora', ref))).toMatchObject({ state: 'done' });
  });
});

test('an agent whose subagent changed after the approval is deployed, because each is approved on its own', async () => {
  const sub = await stage.push();
  await stage.approve(sub.ref);
  const { ref } = await stage.push({ yaml: `subagents: [agents/${sub.name}]\n` });
  await stage.approve(ref);
  await stage.push({ name: sub.name, version: '1.1.0', files: { 'more.py': '' } });
  await stage.approve(`agents/${sub.name}@1.1.0`);
  const { verdicts } = await plan(stage.parts, await stage.cast.caller('dora'), { ref });
  const detail = `agents/${sub.name}: not replaced since the push.`;
  expect(verdicts).toContainEqual({ check: 'resolve', verdict: 'pass', detail });
  expect(await ended(await ask('dora', ref))).toMatchObject({ state: 'done' });
});

describe('a queued deploy by an admin without an approval', () => {
  const bind = async (to: boolean) =>
    await stage.cast.write('org', sql`update org set require_approval_for_admins = ${to} returning id`);

  test('is refused when the setting comes into effect before its run', async () => {
    const { ref } = await stage.push();
    const queued = await ask('root', ref);
    await bind(true);
    const refused = await ended(queued);
    await bind(false);
    expect(refused).toMatchObject({ state: 'failed', problem: { code: 'approval_required' } });
    expect(stage.provisioned).toBe(0);
  });

  test('runs when the setting was on and off again before its run', async () => {
    const { ref } = await stage.push();
    const queued = await ask('root', ref);
    await bind(true);
    await bind(false);
    expect(await ended(queued)).toMatchObject({ state: 'done', approval_id: null });
  });
});

describe('a secret of the team', () => {
  const set = async (scope: { team: string } | { agent: string }) => {
    const { database, cast, parts } = stage;
    const all = { db: database.db, cursors: parts.cursors, stores: parts.secret_stores, findUsers: findSecretUsers };
    await setSecret(all, await cast.caller('root'), { ...scope, name: 'TOKEN', value: 'x' });
  };
  const yaml = 'deploy: {secrets: [TOKEN]}\n';
  const verdict = async (ref: string) =>
    (await plan(stage.parts, await stage.cast.caller('max'), { ref })).verdicts.find(
      ({ check }) => check === 'authorize',
    );

  test('that content newly names needs an approval, also from admins; named before, it needs none', async () => {
    const { name, ref } = await stage.push();
    expect(await ended(await ask('max', ref))).toMatchObject({ state: 'done', approval_id: null });
    const naming = async (version: string) =>
      (await stage.push({ name, version, yaml, files: { 'v.txt': version } })).ref;
    const first = await naming('1.1.0');
    await expect(ask('max', first)).rejects.toMatchObject({ code: 'secret_missing' });
    await set({ team: 'ml' });
    await expect(ask('max', first)).rejects.toMatchObject({
      code: 'approval_required',
      detail: expect.stringContaining('it newly names TOKEN of the team') as string,
    });
    expect(await verdict(first)).toMatchObject({ verdict: 'fail' });
    const approval_id = await stage.approve(first);
    expect(await ended(await ask('max', first))).toMatchObject({ state: 'done', approval_id });
    const second = await naming('1.2.0');
    expect(await verdict(second)).toMatchObject({ verdict: 'notice' });
    expect(await ended(await ask('max', second))).toMatchObject({ state: 'done', approval_id: null });
  });

  test('of the same name as one of the agent needs none', async () => {
    const { name, ref } = await stage.push({ yaml });
    await set({ team: 'ml' });
    expect(await verdict(ref)).toMatchObject({ verdict: 'fail' });
    await set({ agent: name });
    expect(await ended(await ask('max', ref))).toMatchObject({ state: 'done', approval_id: null });
  });

  test('does not follow a transfer: the agent keeps running, and its restart names what is missing', async () => {
    const { database, cast, parts } = stage;
    await set({ team: 'ml' });
    await set({ team: 'ops' });
    const { name, ref } = await stage.push({ yaml });
    await stage.approve(ref);
    const { id } = await ended(await ask('max', ref));
    const to = { team: 'ops', owner: emailOf('olga') };
    const moveKeys: MoveKeys = async (tx, agent) => await moveRevisionKeys(parts.key_maker, tx, agent);
    const ending = { db: database.db, closeRequests: closePending, moveKeys };
    await transfer(ending, await cast.caller('root'), { kind: 'agent', name }, to);
    const again = async () => await restart(parts, await cast.caller('root'), name);
    await expect(again()).rejects.toMatchObject({ code: 'secret_missing' });
    expect(stage.containers.get(id)?.state).toBe('running');
    const [row] = await instanceStore.instancesOfRevision(database.db, id);
    if (row === undefined || row.place === null) throw new Error('it has no instance');
    const known = { place: row.place, instance_id: row.id, revision_id: id, name: '' };
    const seen = { ...known, state: 'exited', out_of_memory: false } as const;
    const start = async (lease: Lease) => await restartContainer(parts, row, seen, lease);
    await expect(parts.leases.hold(deployMutex(row), AbortSignal.timeout(10_000), start)).rejects.toMatchObject({
      code: 'secret_missing',
    });
    expect(await instanceStore.instance(database.db, row.id)).toMatchObject({
      last_exit: `TOKEN is set neither for agents/${name} nor for team:ml.`,
    });
  });
});

test('a deployer makes only an approved revision the default one; the change is in the log', async () => {
  const { targets } = stage;
  targets['other'] = targets.local;
  const { name, ref } = await stage.push();
  await stage.approve(ref);
  await ended(await ask('dora', ref));
  await ended(await deploy(stage.parts, await stage.cast.caller('max'), { ref, target: 'other', force: false }));
  const to = async (person: Person, target: string) =>
    await setDefaultTarget(stage.parts, await stage.cast.caller(person), { name, target });
  await expect(to('dora', 'other')).rejects.toMatchObject({ code: 'approval_required' });
  await expect(to('ada', 'other')).rejects.toMatchObject({ code: 'forbidden' });
  await to('max', 'other');
  await to('dora', 'local');
  const entries = await stage.database.db.all(sql`
    select body::jsonb #>> '{actor,name}' as actor, body::jsonb #>> '{detail,after}' as after from audit.entry
    where asset = ${`agents/${name}`} and event = 'agent.target_changed' order by seq`);
  expect(entries).toEqual([
    { actor: emailOf('max'), after: 'other' },
    { actor: emailOf('dora'), after: 'local' },
  ]);
  delete targets['other'];
});
