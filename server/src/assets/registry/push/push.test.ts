import { Problem } from '@gantry/contract/problems.ts';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { sql } from '../../../ground/database/sql.ts';
import { testDatabase, type TestDatabase } from '../../../testing/test-database.ts';
import type { Caller } from '../../../governance/access/caller.ts';
import { change } from '../../../governance/access/change.ts';
import { authorize } from '../../../governance/access/authorize.ts';
import { entriesOf } from '../../../governance/access/acl.ts';
import { findAgent, findVersion } from '../find.ts';
import { loadVersionContent } from '../versions/load-version-content.ts';
import { push as pushAsOf, type PushParts, type PushRequest } from './push.ts';
import { archiveOf, projectOf, type TestProject } from '../../../testing/pushes/project-archive.ts';
import { emailOf, seedCast, type Cast, type Person } from '../../../testing/access/cast.ts';
import { startPushes, type Pushes } from '../../../testing/pushes/pushes.ts';
import { finalise } from '../versions/version.ts';

/** For a caller who stays unchanged meanwhile, unless the request says otherwise. */
const push = async (
  parts: PushParts,
  caller: Caller,
  request: Omit<PushRequest, 'callerNow'> & Partial<PushRequest>,
): Promise<string> =>
  await pushAsOf(parts, caller, { callerNow: async () => await Promise.resolve(caller), ...request });

let database: TestDatabase;
let cast: Cast;
let pushes: Pushes;
let agents = 0;

beforeAll(async () => {
  database = await testDatabase();
  cast = await seedCast(database.db);
  pushes = await startPushes(database.db);
});
afterAll(async () => {
  await pushes?.stop();
  await database?.close();
});

const fresh = () => `agent-${++agents}`;
const signal = AbortSignal.timeout(240_000);
async function pushAs(person: Person, project: TestProject, message?: string) {
  return await pushes.push(await cast.caller(person), project, message);
}
async function agentOf(name: string) {
  const agent = await findAgent(database.db, name, await cast.caller('root'));
  if (agent === undefined) throw new Error(`there is no ${name}`);
  return agent;
}
async function latest(name: string) {
  const version = await findVersion(database.db, (await agentOf(name)).id, 'latest');
  if (version === undefined) throw new Error(`${name} has no version`);
  return version;
}
async function makeFinal(name: string): Promise<void> {
  const { id, digest } = await latest(name);
  const grant = authorize(await cast.caller('root'), 'approval.decide', await agentOf(name));
  expect(
    await change(database.db, grant, 'approval.decided', async (tx) => await finalise(tx, { version_id: id, digest })),
  ).toBe(true);
}
async function events(name: string): Promise<string[]> {
  return (
    await database.db.all<{ event: string }>(
      sql`select event from audit.entry where asset = ${`agents/${name}`} order by seq`,
    )
  ).map((row) => row.event);
}

test('a push becomes a draft whose content comes back byte for byte', async () => {
  const run = await pushAs('ada', { name: 'greeter' }, 'first');
  expect(run).toMatchObject({ state: 'done', problem: null, result: { unchanged: false } });
  const agent = await agentOf('greeter');
  expect(agent).toMatchObject({
    ref: 'agents/greeter',
    owner: emailOf('ada'),
    team: { name: 'ml' },
    visibility: 'org',
    framework: 'langgraph',
  });
  expect((await entriesOf(database.db, agent.id)).map((entry) => entry.principal_type).toSorted()).toEqual([
    'org',
    'team',
    'user',
  ]);
  const version = await latest('greeter');
  expect(version).toMatchObject({ version: '1.0.0', state: 'draft', message: 'first', digest: run.result?.digest });
  const content = await loadVersionContent(database.db, version.id);
  expect(content.files.map((file) => file.path)).toEqual(['agent.py', 'agent.yaml', 'requirements.txt']);
  expect(Buffer.from(content.files[2]?.bytes ?? []).toString()).toBe('langgraph>=0.2.0\n');
  expect(content).toMatchObject({
    lock: expect.stringMatching(/^langgraph==1\.0\.0 \\\n {4}--hash=sha256:[0-9a-f]{64}\n$/),
    base_image: 'sha256:base',
    python: '3.11.2',
    config: { name: 'greeter' },
    references: [],
  });
  expect(await events('greeter')).toEqual(['asset.created']);
  expect(pushes.errors).toEqual([]);
});

describe('content and digest', () => {
  test('the same content again changes nothing and adds no entry', async () => {
    const name = fresh();
    const first = await pushAs('ada', { name });
    const again = await pushAs('ada', { name });
    expect(again.result).toEqual({ ...first.result, unchanged: true });
    expect(await events(name)).toEqual(['asset.created']);
  });

  test('one changed byte gives another digest, and the draft has it', async () => {
    const name = fresh();
    const first = await pushAs('ada', { name, files: { 'note.txt': 'a' } });
    const second = await pushAs('max', { name, files: { 'note.txt': 'b' } });
    expect(second.result?.digest).not.toBe(first.result?.digest);
    expect(second.result?.version_id).toBe(first.result?.version_id);
    const version = await latest(name);
    expect(version).toMatchObject({ digest: second.result?.digest, pushed_by_email: emailOf('max') });
    expect(version.authors.toSorted()).toEqual([cast.id('ada'), cast.id('max')].toSorted());
    expect(await events(name)).toEqual(['asset.created', 'version.pushed']);
  });

  test('another base image gives another digest and a new lock', async () => {
    const name = fresh();
    const first = await pushAs('ada', { name });
    const resolved = pushes.resolved.length;
    pushes.setBaseImage('sha256:newer');
    const second = await pushAs('ada', { name });
    pushes.setBaseImage('sha256:base');
    expect(second.result?.digest).not.toBe(first.result?.digest);
    expect(pushes.resolved.length).toBe(resolved + 1);
  });

  test('the lock is reused for the same requirements, team and base image, and not across teams', async () => {
    const requirements = { 'requirements.txt': 'langgraph>=0.2.0\nhttpx\n' };
    await pushAs('ada', { name: fresh(), files: requirements });
    const resolved = pushes.resolved.length;
    expect(pushes.resolved.at(-1)).toMatchObject({
      team_id: cast.team('ml'),
      requirements: [
        { line: 'langgraph>=0.2.0', source: 'requirements.txt:1' },
        { line: 'httpx', source: 'requirements.txt:2' },
      ],
      constraints: [],
    });
    expect(pushes.resolved.at(-1)?.platform_requirements).toContain('uvicorn[standard]>=0.27.0');
    await pushAs('ada', { name: fresh(), files: { ...requirements, 'other.py': '' } });
    expect(pushes.resolved.length).toBe(resolved);
    await pushAs('otto', { name: fresh(), team: 'ops', files: requirements });
    expect(pushes.resolved.length).toBe(resolved + 1);
    await pushAs('ada', { name: fresh(), files: { 'requirements.txt': 'langgraph>=0.2.0\nhttpx>=0.27\n' } });
    expect(pushes.resolved.length).toBe(resolved + 2);
  });

  test('a graph has no package for its traces in its lock, so an agent that opts out keeps the lock', async () => {
    const traced = /^(openinference|opentelemetry)-/;
    const packages = () => (pushes.resolved.at(-1)?.platform_requirements ?? []).filter((one) => traced.test(one));
    const files = { 'requirements.txt': 'langgraph>=0.2.0\ntraced\n' };
    await pushAs('ada', { name: fresh(), files });
    expect(packages()).toEqual([]);
    const resolved = pushes.resolved.length;
    await pushAs('ada', { name: fresh(), files, yaml: 'deploy: { tracing: { enabled: false } }\n' });
    expect(pushes.resolved.length).toBe(resolved);
  });

  test('a uv.lock goes to the resolver with its pyproject.toml, and every change of them makes a new lock', async () => {
    const read = (version: string) => ({
      'pyproject.toml': '[project]\nname = "x"\nversion = "1"\ndependencies = ["six"]\n',
      'uv.lock': `[[package]]\nname = "six"\nversion = "${version}"\n`,
    });
    const files = (version: string) => ({ 'langgraph.json': '{"dependencies": ["."]}', ...read(version) });
    await pushAs('ada', { name: fresh(), files: files('1.16.0') });
    const resolved = pushes.resolved.length;
    expect(pushes.resolved.at(-1)).toMatchObject({
      locked: { lock: 'uv.lock', folders: ['.'], packages: [], files: read('1.16.0') },
      requirements: [],
      constraints: [],
    });
    // The spec's server packages are not added to a lock.
    expect(pushes.resolved.at(-1)?.platform_requirements).toContain('langgraph>=0.2.0');
    expect(pushes.resolved.at(-1)?.platform_requirements.join()).not.toMatch(/uvicorn|fastapi/);
    await pushAs('ada', { name: fresh(), files: { ...files('1.16.0'), 'other.py': '' } });
    expect(pushes.resolved.length).toBe(resolved);
    await pushAs('ada', { name: fresh(), files: files('1.17.0') });
    expect(pushes.resolved.length).toBe(resolved + 1);
  });

  test('the versions of a poetry.lock decide about its reuse, and its place does not', async () => {
    const files = (version: string, comment = '') => ({
      'langgraph.json': '{"dependencies": ["."]}',
      'pyproject.toml': `${comment}[project]\nname = "x"\nversion = "1"\ndependencies = ["langgraph", "six"]\n`,
      'poetry.lock': `${comment}[[package]]\nname = "six"\nversion = "${version}"\n`,
    });
    await pushAs('ada', { name: fresh(), files: files('1.16.0') });
    const resolved = pushes.resolved.length;
    expect(pushes.resolved.at(-1)).toMatchObject({
      requirements: [
        { line: 'langgraph', source: 'pyproject.toml:4' },
        { line: 'six', source: 'pyproject.toml:4' },
      ],
      constraints: [{ line: 'six==1.16.0', source: 'poetry.lock:1' }],
    });
    await pushAs('ada', { name: fresh(), files: files('1.16.0', '# moved\n') });
    expect(pushes.resolved.length).toBe(resolved);
    await pushAs('ada', { name: fresh(), files: files('1.17.0') });
    expect(pushes.resolved.length).toBe(resolved + 1);
  });

  test('a project gets the Python that it needs: the usual one first, then the one of langgraph.json', async () => {
    const project = (specifier: string) => ({
      'pyproject.toml': `[project]\nname = "x"\nversion = "1"\nrequires-python = "${specifier}"\n`,
    });
    const pythonOf = async (files: Record<string, string>) => {
      expect(await pushAs('ada', { name: fresh(), files: { ...files, 'marker.txt': fresh() } })).toMatchObject({
        state: 'done',
      });
      return pushes.resolved.at(-1)?.python_version;
    };
    expect(await pythonOf(project('>=3.10'))).toBe('3.11.2');
    expect(await pythonOf(project('>=3.12'))).toBe('3.13.4');
    expect(await pythonOf(project('>=3.12,<3.13'))).toBe('3.12.4');
    const langgraphJson = { 'langgraph.json': '{"dependencies": ["."], "python_version": "3.12"}' };
    expect(await pythonOf({ ...project('>=3.9'), ...langgraphJson })).toBe('3.12.4');
  });

  test('a project for an unavailable Python is refused before resolving, with both lists', async () => {
    const files = { 'pyproject.toml': '[project]\nname = "x"\nversion = "1"\nrequires-python = ">=3.14"\n' };
    const resolved = pushes.resolved.length;
    expect(await pushAs('ada', { name: fresh(), files })).toMatchObject({
      state: 'failed',
      problem: {
        code: 'python_unavailable',
        detail: 'The project needs Python >=3.14 (pyproject.toml:4), and this service has 3.11.2, 3.13, 3.12.',
        required: [{ source: 'pyproject.toml:4', specifier: '>=3.14' }],
        available: ['3.11.2', '3.13', '3.12'],
      },
    });
    expect(pushes.resolved.length).toBe(resolved);
  });

  test('content that was changed in the database is not loaded', async () => {
    const name = fresh();
    await pushAs('ada', { name, files: { 'secret-sauce.txt': `for ${name}` } });
    const { id, digest } = await latest(name);
    await expect(database.db.run(sql`update content set lock = 'other' where digest = ${digest}`)).rejects.toThrow(
      'never changes',
    );
    await database.db.run(sql`update blob set bytes = 'other' where bytes = ${Buffer.from(`for ${name}`)}`);
    await expect(loadVersionContent(database.db, id)).rejects.toThrow('differ from the push');
  });
});

describe('versions', () => {
  test('a final version refuses other content at once, with the hint to bump', async () => {
    const name = fresh();
    await pushAs('ada', { name });
    await makeFinal(name);
    await expect(pushAs('ada', { name, files: { 'note.txt': 'more' } })).rejects.toMatchObject({
      code: 'version_final',
      status: 409,
      hint: expect.stringContaining('--bump'),
    });
    expect((await pushAs('ada', { name, version: '1.0.1', files: { 'note.txt': 'more' } })).state).toBe('done');
    expect(await latest(name)).toMatchObject({ version: '1.0.1', state: 'draft' });
  });

  test('a final version pushed again unchanged stays unchanged, also on a newer base image', async () => {
    const name = fresh();
    const first = await pushAs('ada', { name });
    await makeFinal(name);
    pushes.setBaseImage('sha256:newest');
    const again = await pushAs('ada', { name });
    pushes.setBaseImage('sha256:base');
    expect(again.result).toEqual({ ...first.result, unchanged: true });
  });

  test('a version that becomes final during a push of it keeps its content', async () => {
    const name = fresh();
    await pushAs('ada', { name });
    const { digest } = await latest(name);
    const release = pushes.hold();
    const asked = pushes.resolved.length;
    const archive = projectOf({ name, files: { 'requirements.txt': `langgraph\n${name}\n` } });
    const run = await push(pushes.parts, await cast.caller('ada'), { name, message: '', archive, signal });
    // After the check of its first step, before its last.
    await expect.poll(() => pushes.resolved.length, { timeout: 15_000 }).toBe(asked + 1);
    await makeFinal(name);
    release();
    expect(await pushes.ended(run)).toMatchObject({ state: 'failed', problem: { code: 'version_final' } });
    expect(await latest(name)).toMatchObject({ digest, state: 'final' });
  });

  test('1.10.0 is above 1.9.0, and lists show the highest version', async () => {
    const name = fresh();
    await pushAs('ada', { name, version: '1.10.0', yaml: 'description: ten\n' });
    await pushAs('ada', { name, version: '1.9.0', yaml: 'description: nine\n' });
    expect(await latest(name)).toMatchObject({ version: '1.10.0' });
    expect(await agentOf(name)).toMatchObject({ description: 'ten' });
  });
});

describe('a push is refused at once:', () => {
  test('a project with faults, with all of them', async () => {
    const faults = await pushAs('ada', { name: fresh(), yaml: 'colour: red\nsize: 4\n' }).catch(
      (error: unknown) => error,
    );
    expect(faults).toMatchObject({ code: 'project_invalid', status: 422 });
    expect((faults as Problem).errors).toMatchObject([
      { file: 'agent.yaml', line: 5, pointer: '/colour' },
      { file: 'agent.yaml', line: 6, pointer: '/size' },
    ]);
    const files = { 'agent.py': 'x = 1\n', 'requirements.txt': '-r /etc/passwd\n' };
    const others = await pushAs('ada', { name: fresh(), files }).catch((error: unknown) => error);
    expect((others as Problem).errors).toMatchObject([
      { file: 'agent.py', message: expect.stringContaining("No 'graph' or 'app' variable found") },
      { file: 'requirements.txt' },
    ]);
  });

  test('a project without agent.py, and an empty one', async () => {
    const archive = archiveOf([
      { path: 'agent.yaml', content: 'name: a\nversion: 1.0.0\nteam: ml\nframework: langgraph\n' },
    ]);
    await expect(
      push(pushes.parts, await cast.caller('ada'), { name: 'a', message: '', archive, signal }),
    ).rejects.toMatchObject({ code: 'project_invalid', errors: [{ file: 'agent.py' }] });
    await expect(
      push(pushes.parts, await cast.caller('ada'), {
        name: 'a',
        message: '',
        archive: archiveOf([{ path: 'x', type: 'Directory' }]),
        signal,
      }),
    ).rejects.toMatchObject({ code: 'project_invalid' });
  });

  test('an archive that is not safe', async () => {
    const archive = archiveOf([{ path: '../agent.py', content: '' }]);
    await expect(
      push(pushes.parts, await cast.caller('ada'), { name: 'a', message: '', archive, signal }),
    ).rejects.toMatchObject({ code: 'archive_unsafe' });
  });

  test('a name in agent.yaml other than the pushed name', async () => {
    const archive = projectOf({ name: 'other' });
    await expect(
      push(pushes.parts, await cast.caller('ada'), { name: 'mine', message: '', archive, signal }),
    ).rejects.toMatchObject({ code: 'project_invalid', errors: [{ pointer: '/name' }] });
  });

  test('an unknown team and another team, with the same sentence of the spec', async () => {
    const sentence = (team: string) =>
      `RBAC check failed: \`team\` in agent.yaml is ${team}, which is not one of your registered teams.`;
    await expect(pushAs('ada', { name: fresh(), team: 'nowhere' })).rejects.toMatchObject({
      code: 'rbac_failed',
      status: 403,
      detail: sentence('nowhere'),
    });
    await expect(pushAs('ada', { name: fresh(), team: 'ops' })).rejects.toMatchObject({
      code: 'rbac_failed',
      detail: sentence('ops'),
      hint: `Your teams: ml. Ask an admin to add you: svc team add ops user:${emailOf('ada')} --role contributor`,
    });
    await expect(pushAs('root', { name: fresh(), team: 'nowhere' })).rejects.toMatchObject({
      detail: sentence('nowhere'),
      hint: expect.stringMatching(/^Your teams: .*\. To make it: svc team create nowhere$/),
    });
  });

  test('a new agent of a user who may create in no team, before it is unpacked', async () => {
    const as = async (person: Person) => {
      const archive = archiveOf([{ path: '../evil', content: '' }]);
      return await push(pushes.parts, await cast.caller(person), { name: fresh(), message: '', archive, signal });
    };
    await expect(as('nemo')).rejects.toMatchObject({
      code: 'rbac_failed',
      status: 403,
      detail: expect.stringContaining('you are in none'),
      hint: `Your teams: none. Ask an admin to add you: svc team add <team> user:${emailOf('nemo')} --role contributor`,
    });
    await expect(as('vera')).rejects.toMatchObject({
      code: 'forbidden',
      detail: 'This needs the role contributor in team:ml; yours is viewer.',
    });
    for (const person of ['ada', 'root'] as const)
      await expect(as(person)).rejects.toMatchObject({ code: 'archive_unsafe' });
  });

  test('a viewer, and a caller without a session', async () => {
    await expect(pushAs('vera', { name: fresh() })).rejects.toMatchObject({ code: 'forbidden' });
    const caller = { kind: 'anonymous', origin: { request_id: null, ip: null, receipts: [] } } as const;
    const anonymous = { ...caller, origin: { ...caller.origin, receipts: [] } };
    await expect(
      push(pushes.parts, anonymous, { name: 'a', message: '', archive: projectOf(), signal }),
    ).rejects.toMatchObject({ code: 'unauthenticated' });
  });

  test('another team’s agent: the name is taken, the team is told only to its readers, and nothing is unpacked', async () => {
    const [open, closed] = [fresh(), fresh()];
    await pushAs('ada', { name: open });
    await pushAs('ada', { name: closed, yaml: 'access:\n  visibility: private\n' });
    const poison = archiveOf([{ path: '../evil', content: '' }]);
    const as = async (person: Person, name: string, archive = poison) =>
      await push(pushes.parts, await cast.caller(person), { name, message: '', archive, signal });
    await expect(as('bob', open)).rejects.toMatchObject({ code: 'forbidden' });
    await expect(as('otto', open)).rejects.toMatchObject({
      code: 'exists',
      detail: `The name ${open} is taken by an agent of team:ml.`,
      hint: 'Choose another `name` in agent.yaml. To push to that agent, ask an admin of team:ml.',
    });
    await expect(as('otto', closed)).rejects.toMatchObject({
      code: 'exists',
      status: 409,
      detail: `The name ${closed} is taken.`,
      hint: 'Choose another `name` in agent.yaml.',
    });
    expect(
      (await pushAs('max', { name: closed, version: '1.0.1', yaml: 'access:\n  visibility: private\n' })).state,
    ).toBe('done');
  });

  test('a second push of the same agent during the first, naming it', async () => {
    const name = fresh();
    const caller = await cast.caller('ada');
    const pushFile = async (text: string) =>
      await push(pushes.parts, caller, {
        name,
        message: '',
        archive: projectOf({ name, files: { 'requirements.txt': `langgraph\n${name}-${text}\n` } }),
        signal,
      });
    const release = pushes.hold();
    const first = await pushFile('first');
    await expect(pushFile('second')).rejects.toMatchObject({ code: 'conflict', fields: { push_id: first } });
    expect((await pushAs('ada', { name: fresh() })).state).toBe('done'); // of another agent, whose lock is there
    release();
    expect(await pushes.ended(first)).toMatchObject({ state: 'done' });
    expect(await pushes.ended(await pushFile('second'))).toMatchObject({ state: 'done' });
  });
});

describe('owner and team', () => {
  test('a new agent belongs to its pusher, who may name themselves', async () => {
    const name = fresh();
    await pushAs('ada', { name, yaml: `owner: ${emailOf('ada')}\n` });
    expect(await agentOf(name)).toMatchObject({ owner: emailOf('ada') });
  });

  test('a contributor cannot push for another user, an admin of the team can, but only for its members', async () => {
    await expect(pushAs('ada', { name: fresh(), yaml: `owner: ${emailOf('bob')}\n` })).rejects.toMatchObject({
      code: 'owner_mismatch',
    });
    const name = fresh();
    expect((await pushAs('max', { name, yaml: `owner: ${emailOf('bob')}\n` })).state).toBe('done');
    expect(await agentOf(name)).toMatchObject({ owner: emailOf('bob') });
    await expect(pushAs('max', { name: fresh(), yaml: `owner: ${emailOf('otto')}\n` })).rejects.toMatchObject({
      code: 'owner_mismatch',
    });
    await expect(pushAs('max', { name: fresh(), yaml: 'owner: nobody@example.com\n' })).rejects.toMatchObject({
      code: 'owner_mismatch',
    });
  });

  test('an existing agent keeps its owner and its team', async () => {
    const name = fresh();
    await pushAs('ada', { name });
    await expect(pushAs('ada', { name, yaml: `owner: ${emailOf('bob')}\n` })).rejects.toMatchObject({
      code: 'owner_mismatch',
      status: 409,
    });
    await expect(pushAs('root', { name, team: 'ops' })).rejects.toMatchObject({ code: 'owner_mismatch' });
    expect((await pushAs('max', { name, version: '1.0.1', yaml: `owner: ${emailOf('ada')}\n` })).state).toBe('done');
  });
});

test('a pusher who is signed out or demoted during the upload is refused, and nothing runs', async () => {
  const name = fresh();
  const caller = await cast.caller('bob');
  const gone = async () => await Promise.reject(new Problem('unauthenticated'));
  const without = async () => await Promise.resolve({ ...caller, memberships: [] });
  for (const [callerNow, code] of [
    [gone, 'unauthenticated'],
    [without, 'rbac_failed'],
  ] as const) {
    const request = { name, message: '', archive: projectOf({ name }), signal, callerNow };
    await expect(push(pushes.parts, caller, request)).rejects.toMatchObject({ code });
  }
});

test('a pusher who is disabled during the push gets no version', async () => {
  const name = fresh();
  const caller = await cast.caller('bob');
  await cast.write('app_user', sql`update app_user set active = false where id = ${cast.id('bob')} returning id`);
  const id = await push(pushes.parts, caller, { name, message: '', archive: projectOf({ name }), signal });
  const run = await pushes.ended(id);
  await cast.write('app_user', sql`update app_user set active = true where id = ${cast.id('bob')} returning id`);
  expect(run).toMatchObject({ state: 'failed', problem: { code: 'forbidden' } });
  expect(await findAgent(database.db, name, null)).toBeUndefined();
});

test('a later version narrows the visibility of the agent and never widens it', async () => {
  const name = fresh();
  const rows = async () =>
    (await entriesOf(database.db, (await agentOf(name)).id)).map((entry) => entry.principal_type).toSorted();
  const access = (visibility: string) => `access:\n  visibility: ${visibility}\n`;
  await pushAs('ada', { name });
  await pushAs('ada', { name, version: '1.0.1', yaml: access('team') });
  expect([await rows(), (await agentOf(name)).visibility]).toEqual([['team', 'user'], 'team']);
  const wider = await pushAs('ada', { name, version: '1.0.2', yaml: access('org') });
  expect(wider.notices).toContainEqual(expect.stringContaining('stays team'));
  expect([await rows(), (await agentOf(name)).visibility]).toEqual([['team', 'user'], 'team']);
  await pushAs('ada', { name, version: '1.0.3', yaml: access('private') });
  expect([await rows(), (await agentOf(name)).visibility]).toEqual([['user'], 'private']);
  expect((await pushAs('ada', { name, version: '1.0.4' })).notices.join()).not.toContain('stays');
});

test.for([
  ['private', ['user']],
  ['team', ['team', 'user']],
  ['org', ['org', 'team', 'user']],
  ['public', ['org', 'team', 'user']],
] as const)('visibility %s writes the rows of %j', async ([visibility, expected]) => {
  const name = fresh();
  await pushAs('ada', { name, yaml: `access:\n  visibility: ${visibility}\n` });
  expect(
    (await entriesOf(database.db, (await agentOf(name)).id)).map((entry) => entry.principal_type).toSorted(),
  ).toEqual(expected);
});

test('pushes with files in common, under different paths, never deadlock', async () => {
  const texts = Array.from({ length: 60 }, (_, n) => `shared ${n}`);
  // The first round stores the bytes, the later rounds find them.
  for (let round = 0; round < 4; round++) {
    const projects = [texts, texts.toReversed(), texts.toSorted()].map((ordered) => ({
      name: fresh(),
      files: Object.fromEntries(
        ordered.map((text, n) => [`${String(n).padStart(3, '0')}.txt`, `${text} ${round >> 1}`]),
      ),
    }));
    // Pushes of one user would run one after the other.
    const callers = await Promise.all((['ada', 'bob', 'max'] as const).map(cast.caller));
    const ids = await Promise.all(
      projects.map(async ({ name, files }, n) => {
        const caller = callers[n] ?? expect.unreachable();
        const request = { name, message: '', archive: projectOf({ name, files }), signal };
        return await push(pushes.parts, caller, request);
      }),
    );
    for (const id of ids) expect(await pushes.ended(id)).toMatchObject({ state: 'done' });
  }
});

test('the sweep drops unused bytes after a day, and none of a version', async () => {
  const name = fresh();
  await pushAs('ada', { name, files: { 'kept.txt': `kept ${name}` } });
  await pushAs('ada', { name: fresh(), yaml: 'tools: [tools/nowhere]\n', files: { 'stray.txt': `stray ${name}` } });
  const there = async (text: string) =>
    (await database.db.one(sql`select 1 from blob where bytes = ${Buffer.from(`${text} ${name}`)}`)) !== undefined;
  expect([await there('kept'), await there('stray')]).toEqual([true, true]);
  await database.db.run(sql`update blob set staged_at = clock_now() - interval '2 days'`);
  await pushAs('ada', { name: fresh() });
  expect([await there('kept'), await there('stray')]).toEqual([true, false]);
  await loadVersionContent(database.db, (await latest(name)).id);
});

test('a push into a team that is deleted meanwhile fails, and leaves nothing', async () => {
  const name = fresh();
  await cast.write('team', sql`insert into team (name) values ('brief') returning id`);
  const before = pushes.resolved.length;
  const release = pushes.hold();
  const pushing = pushAs('root', { name, team: 'brief' });
  await expect.poll(() => pushes.resolved.length, { timeout: 15_000 }).toBe(before + 1);
  await cast.write('team', sql`delete from team where name = 'brief' returning id`);
  release();
  expect(await pushing).toMatchObject({
    state: 'failed',
    problem: { code: 'conflict', detail: expect.stringContaining('has just been removed') },
  });
  expect(await findAgent(database.db, name, null)).toBeUndefined();
  expect(await pushAs('root', { name })).toMatchObject({ state: 'done' });
});
