// Deploys through the real service, with real containers.
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Deployment } from '@gantry/contract/agents/deploy.ts';
import { Problem } from '@gantry/contract/problems.ts';
import type { RunEvent } from '@gantry/contract/agents/runs.ts';
import { connectEngine, type Engine } from '../../assets/docker/client.ts';
import { installationId } from '../../people/principals/find.ts';
import { removeLeftovers } from '../../testing/engine-leftovers.ts';
import { projectOf, type TestProject } from '../../testing/pushes/project-archive.ts';
import { testApp, type TestApp, type TestUser } from '../../testing/test-app.ts';

let app: TestApp;
let engine: Engine;
let contributor: TestUser;
let deployer: TestUser;
const example = join(import.meta.dirname, '../../../../examples/langgraph-greeter');

beforeAll(async () => {
  app = await testApp();
  engine = connectEngine({ installation_id: await installationId(app.db) });
  contributor = await app.user('ada@example.com', { teams: { ml: 'contributor' } });
  deployer = await app.user('dan@example.com', { teams: { ml: 'deployer' } });
}, 60_000);
afterAll(async () => {
  await app?.stop();
  if (engine !== undefined) await removeLeftovers(engine);
}, 120_000);

async function greeter(project: TestProject = {}): Promise<TestProject> {
  const [agent, requirements] = await Promise.all(
    ['agent.py', 'requirements.txt'].map((file) => readFile(join(example, file), 'utf8')),
  );
  return { ...project, files: { 'agent.py': agent ?? '', 'requirements.txt': requirements ?? '', ...project.files } };
}

async function push(user: TestUser, project: TestProject): Promise<string> {
  const { id, ref } = await user.client.call('agents.push', {
    params: { name: project.name ?? 'greeter' },
    body: projectOf(project),
  });
  for await (const _ of await user.client.call('pushes.events', { params: { id } }));
  const pushed = await user.client.call('pushes.show', { params: { id } });
  expect(pushed).toMatchObject({ state: 'done', problem: null });
  return ref;
}

async function follow(user: TestUser, { id }: { id: string }): Promise<{ deployment: Deployment; events: RunEvent[] }> {
  const events: RunEvent[] = [];
  for await (const { data } of await user.client.call('deployments.events', { params: { id } })) events.push(data);
  return { deployment: await user.client.call('deployments.show', { params: { id } }), events };
}

// An agent that answers with its version. It waits for the file that a call names, if any. `at_import` runs at the import.
function speaker(version: string, { name = 'speaker', at_import = '', yaml = '' } = {}): TestProject {
  const agent = `
import os, sys, time
from typing_extensions import TypedDict
from langgraph.graph import StateGraph, START, END
${at_import}
class State(TypedDict, total=False):
    awaited: str
    exit: bool
    said: str
def speak(state):
    if state.get("exit"):
        os._exit(3)
    while "awaited" in state and not os.path.exists(state["awaited"]):
        time.sleep(0.05)
    return {"said": "${version} " + os.environ.get("GREETING", "")}
graph = StateGraph(State).add_node(speak).add_edge(START, "speak").add_edge("speak", END).compile()
`;
  return { name, version, yaml, files: { 'agent.py': agent } };
}

async function deployed(project: TestProject, more: { force?: boolean } = {}) {
  const ref = await push(app.admin, project);
  return await follow(app.admin, await app.admin.client.call('deployments.create', { body: { ref, ...more } }));
}

async function say(name: string, input: object = { exit: false }): Promise<{ status: number; text: string }> {
  const answer = await app.admin.client.call('invoke.call', {
    params: { name },
    body: Buffer.from(JSON.stringify({ input })),
  });
  return { status: answer.status, text: await answer.text() };
}

const statusOf = async (name: string) => await app.admin.client.call('agents.status', { params: { name } });
const containersOf = async (name: string) => {
  const found = await engine.docker.listContainers({
    all: true,
    filters: { label: [`gantry.installation=${engine.installation_id}`] },
  });
  return found.filter(({ Names }) => Names[0]?.startsWith(`/svc-${name}-`));
};
async function touch(container: string, path: string): Promise<void> {
  const command = await engine.docker.getContainer(container).exec({ Cmd: ['touch', path] });
  await command.start({ Detach: true });
}

const auditOf = async (name: string) =>
  (await app.admin.client.call('audit.list', { query: { asset: `agents/${name}` } })).items.map(({ event }) => event);

const eventsOf = async (name: string) =>
  (await app.admin.client.call('agents.events', { params: { name }, query: {} })).items;
const refusalOf = async (work: Promise<unknown>) => {
  const error = await work.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  if (!(error instanceof Problem)) throw new Error('the call was not refused', { cause: error });
  return error;
};

test('a deployer of the team deploys the approved version, and it answers', async () => {
  const ref = await push(contributor, await greeter());
  const { id } = await contributor.client.call('approvals.submit', { body: { asset: ref } });
  expect(await refusalOf(contributor.client.call('deployments.create', { body: { ref } }))).toMatchObject({
    code: 'forbidden',
  });
  expect(await refusalOf(deployer.client.call('deployments.create', { body: { ref } }))).toMatchObject({
    code: 'approval_required',
  });
  await app.admin.client.call('approvals.approve', { params: { id }, body: {} });

  const { deployment, events } = await follow(
    deployer,
    await deployer.client.call('deployments.create', { body: { ref } }),
  );
  expect(deployment).toMatchObject({
    state: 'done',
    problem: null,
    approval_id: id,
    endpoint: `${app.url}/agents/greeter/invoke`,
  });
  expect(deployment.steps.map(({ name, state }) => `${name} ${state}`)).toEqual(
    ['validate', 'authorize', 'resolve', 'build', 'provision', 'start', 'register', 'endpoint'].map(
      (name) => `${name} done`,
    ),
  );
  expect(events.at(-1)).toMatchObject({ kind: 'end', state: 'done' });
  const [entry] = (await app.admin.client.call('audit.list', { query: { action: 'deploy', asset: 'agents/greeter' } }))
    .items;
  expect(entry).toMatchObject({
    event: 'deploy',
    seq: deployment.audit_seq,
    actor: { name: 'dan@example.com' },
    detail: { target: 'local', approval_id: id, version: '1.0.0', digest: deployment.digest, run_id: deployment.id },
  });

  const answer = await deployer.client.call('invoke.call', {
    params: { name: 'greeter' },
    body: Buffer.from('{"input":{"message":"hi, I am Ada"}}'),
  });
  expect(answer.status).toBe(200);
  expect(JSON.stringify(await answer.json())).toContain('Hello Ada');
  expect(await deployer.client.call('agents.status', { params: { name: 'greeter' } })).toMatchObject({
    state: 'serving',
    ref,
    revision: deployment.id,
    restarts: 0,
    last_exit: null,
    in_flight: 0,
  });
}, 180_000);

test('a new version takes over without a failed call, and the old one finishes its running calls', async () => {
  expect((await deployed(speaker('1.0.0', { name: 'rolling' }))).deployment).toMatchObject({ state: 'done' });
  const long = say('rolling', { awaited: '/tmp/go' });
  const [first] = await containersOf('rolling');
  let rolling = true;
  const statuses: string[] = [];
  const calls = (async () => {
    while (rolling) {
      const { status, text } = await say('rolling');
      statuses.push(`${status} ${/\d\.0\.0/.exec(text)?.[0]}`);
    }
  })();
  expect((await deployed(speaker('2.0.0', { name: 'rolling' }))).deployment).toMatchObject({ state: 'done' });
  const status = await statusOf('rolling');
  expect(status).toMatchObject({ state: 'serving', ref: 'agents/rolling@2.0.0', draining: [expect.any(String)] });
  await touch(first?.Id ?? '', '/tmp/go');
  expect(await long).toMatchObject({ status: 200, text: expect.stringContaining('1.0.0') });
  rolling = false;
  await calls;
  expect([...new Set(statuses)]).toEqual(['200 1.0.0', '200 2.0.0']);
  await expect.poll(async () => (await statusOf('rolling')).draining, { timeout: 15_000 }).toEqual([]);
  expect(await containersOf('rolling')).toHaveLength(1);
}, 180_000);

test('an import error fails the deploy with its traceback and leaves nothing, and the old version continues to answer', async () => {
  await deployed(speaker('1.0.0', { name: 'broken' }));
  const { deployment } = await deployed(speaker('2.0.0', { name: 'broken', at_import: 'import not_there_at_all' }));
  expect(deployment).toMatchObject({ state: 'failed', problem: { code: 'start_failed' } });
  expect(JSON.stringify(deployment.problem)).toContain('not_there_at_all');
  expect(deployment.steps.map(({ name, state }) => `${name} ${state}`).slice(3)).toEqual([
    'build done',
    'provision undone',
    'start failed',
    'register pending',
    'endpoint pending',
  ]);
  expect(await say('broken')).toMatchObject({ status: 200, text: expect.stringContaining('1.0.0') });
  expect(await containersOf('broken')).toHaveLength(1);
  expect(await auditOf('broken')).toContain('deploy.failed');
  const lines: string[] = [];
  for await (const { data } of await app.admin.client.call('agents.logs', { params: { name: 'broken' }, query: {} }))
    lines.push(data.line);
  expect(lines.join('\n')).toContain('not_there_at_all');
}, 180_000);

test('a deploy that hangs at import is cancelled within a second or two and leaves nothing', async () => {
  const ref = await push(app.admin, speaker('1.0.0', { name: 'hanging', at_import: 'time.sleep(600)' }));
  const { id } = await app.admin.client.call('deployments.create', { body: { ref } });
  const running = await refusalOf(app.admin.client.call('deployments.create', { body: { ref } }));
  expect(running).toMatchObject({ code: 'deploy_running', fields: { deployment_id: id } });
  for await (const { data } of await app.admin.client.call('deployments.events', { params: { id } }))
    if (data.step === 'start') break;
  await app.admin.client.call('deployments.cancel', { params: { id } });
  const { deployment } = await follow(app.admin, { id });
  expect(deployment).toMatchObject({ state: 'cancelled', problem: { code: 'cancelled' } });
  expect(await containersOf('hanging')).toEqual([]);
  expect(await auditOf('hanging')).toEqual(expect.arrayContaining(['deploy.cancelled', 'deploy.bypassed_approval']));
  expect(await refusalOf(app.admin.client.call('deployments.cancel', { params: { id } }))).toMatchObject({
    code: 'not_cancellable',
  });
  expect(await statusOf('hanging')).toMatchObject({
    state: 'not_deployed',
    detail: expect.stringContaining('cancelled'),
  });
}, 180_000);

test('a running version is deployed again only with force', async () => {
  const ref = await push(
    app.admin,
    speaker('1.0.0', { name: 'again', yaml: 'deploy: {env_vars: {GREETING: "hello there"}}\n' }),
  );
  const first = await follow(app.admin, await app.admin.client.call('deployments.create', { body: { ref } }));
  expect((await say('again')).text).toContain('hello there');
  expect(await refusalOf(app.admin.client.call('deployments.create', { body: { ref } }))).toMatchObject({
    code: 'already_deployed',
  });
  const second = await follow(
    app.admin,
    await app.admin.client.call('deployments.create', { body: { ref, force: true } }),
  );
  expect(second.deployment).toMatchObject({ state: 'done' });
  expect((await statusOf('again')).revision).toBe(second.deployment.id);
  const { items } = await app.admin.client.call('deployments.list', { query: { agent: 'again' } });
  expect(items.map(({ id }) => id)).toEqual([second.deployment.id, first.deployment.id]);
}, 180_000);

test('stop, start, restart and delete work and are in the log, and a crashed agent restarts', async () => {
  await deployed(speaker('1.0.0', { name: 'operated' }));
  const params = { name: 'operated' };
  await follow(app.admin, await app.admin.client.call('agents.stop', { params }));
  expect((await statusOf('operated')).state).toBe('stopped');
  expect(await refusalOf(say('operated'))).toMatchObject({ code: 'not_deployed' });
  expect(await app.admin.client.call('registry.show', { params: { kind: 'agent', name: 'operated' } })).toMatchObject({
    serving_version: null,
  });
  await follow(app.admin, await app.admin.client.call('agents.start', { params }));
  expect(await say('operated')).toMatchObject({ status: 200 });
  const [before] = await containersOf('operated');
  await follow(app.admin, await app.admin.client.call('agents.restart', { params }));
  expect(await say('operated')).toMatchObject({ status: 200 });
  const left = async () => (await containersOf('operated')).map(({ Id }) => Id);
  await expect.poll(left, { timeout: 30_000 }).not.toContain(before?.Id);

  await refusalOf(say('operated', { exit: true }));
  // The timeline says both for good. The state is read at one moment, which can be before the end is seen or after the restart.
  const said = async () => (await eventsOf('operated')).map(({ kind }) => kind).slice(0, 2);
  await expect.poll(said, { timeout: 30_000 }).toEqual(['started', 'ended']);
  expect((await statusOf('operated')).state).toBe('serving');
  expect(await say('operated')).toMatchObject({ status: 200 });

  await app.admin.client.call('agents.delete', { params });
  await expect.poll(async () => await containersOf('operated'), { timeout: 20_000 }).toEqual([]);
  expect(await refusalOf(app.admin.client.call('agents.status', { params }))).toMatchObject({ code: 'not_found' });
  expect(await auditOf('operated')).toEqual(
    expect.arrayContaining(['agent.stopped', 'agent.started', 'agent.restarted', 'asset.deleted']),
  );
}, 180_000);
