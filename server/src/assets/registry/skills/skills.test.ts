// Skills from the push to the review of an agent with them, in the real service. e2e/shared/skills.test.ts has the container.
import { randomBytes } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import { parseAgentYaml } from '@gantry/project/agent-yaml.ts';
import { Problem } from '@gantry/contract/problems.ts';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { sql } from '../../../ground/database/sql.ts';
import { findUser } from '../../../people/principals/find.ts';
import { loadCaller } from '../../../people/principals/load-caller.ts';
import {
  archiveOf,
  skillFiles,
  skillOf,
  streamOf,
  tarOf,
  type TestSkill,
} from '../../../testing/pushes/project-archive.ts';
import { serveAgent, storeAgent } from '../../../testing/stored/stored-agent.ts';
import { testApp, type TestApp, type TestUser } from '../../../testing/test-app.ts';
import { checkReferences, pinReferences } from '../references/pin-references.ts';
import { referencesOfAgent } from '../references/references.ts';
import { loadVersionContent } from '../versions/load-version-content.ts';

let app: TestApp;
let ada: TestUser;
let max: TestUser;
let vera: TestUser;
let otto: TestUser;
let made = 0;
beforeAll(async () => {
  app = await testApp({ config: { engine_host: 'unix:///nowhere/docker.sock' } });
  ada = await app.user('ada@example.com', { teams: { ml: 'contributor' } });
  max = await app.user('max@example.com', { teams: { ml: 'admin' } });
  vera = await app.user('vera@example.com', { teams: { ml: 'viewer' } });
  otto = await app.user('otto@example.com', { teams: { ops: 'contributor' } });
});
afterAll(async () => await app?.stop());

const fresh = (word = 'skill') => `${word}-${++made}`;
const params = (name: string) => ({ kind: 'skill' as const, name });
interface More {
  by?: TestUser;
  version?: string;
  team?: string;
  visibility?: 'org' | 'team' | 'private';
  body?: ReadableStream<Uint8Array>;
}
async function push(name: string, skill: TestSkill = {}, { by = ada, body, ...query }: More = {}) {
  return await by.client.call('skills.push', {
    params: { name },
    query: { team: 'ml', ...query },
    body: body ?? skillOf({ name, ...skill }),
  });
}
async function refusal(work: Promise<unknown>): Promise<Problem> {
  const error = await work.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  if (!(error instanceof Problem)) throw new Error('it was not refused', { cause: error });
  return error;
}
/** An agent of Ada with these skills, with the references that a push pins. */
async function agentWith(skills: string, more: { name?: string; version?: string; by?: TestUser } = {}) {
  const { name = fresh('agent'), version = '1.0.0', by = ada } = more;
  const yaml = `skills: ${skills}\n`;
  const whole = `name: ${name}\nversion: ${version}\nteam: ml\nframework: langgraph\n${yaml}`;
  const { config } = parseAgentYaml(whole, 'agent.yaml');
  const user = await findUser(app.db, by.email);
  const caller = user && (await loadCaller(app.db, user.id, { request_id: null, ip: null, receipts: [] }));
  if (config === undefined || caller === undefined) throw new Error('the test is wrong');
  const pins = await pinReferences(app.db, caller, referencesOfAgent(config));
  return { ...(await storeAgent(app, ada.email, { name, version, yaml }, pins)), pins };
}
const skillsOf = async ({ version_id }: { version_id: string }) =>
  (await loadVersionContent(app.db, version_id)).skills.map(({ path, bytes }) => [path, Buffer.from(bytes).toString()]);

describe('a push', () => {
  test('makes a skill with its owner, its readers, its words and its files', async () => {
    const name = fresh();
    const files = { 'scripts/greet.py': 'print("hello")\n' };
    const pushed = await push(name, { files, front: 'license: MIT\n' });
    expect(pushed).toMatchObject({
      ref: `skills/${name}@1.0.0`,
      created: true,
      unchanged: false,
      files: [{ path: 'SKILL.md' }, { path: 'scripts/greet.py', bytes: 15 }],
    });
    const shown = await vera.client.call('registry.show', { params: params(name) });
    expect(shown).toMatchObject({
      owner: ada.email,
      team: 'ml',
      visibility: 'org',
      description: 'Greets people well. Use it before each greeting.',
      config: { name, license: 'MIT' },
    });
    expect(shown.can['skills.push']?.allowed).toBe(false);
    const { can } = await ada.client.call('registry.show', { params: params(name) });
    // A push decides everything about a skill.
    expect([can['skills.push'], can['registry.edit'], can['agents.push']]).toEqual([
      { allowed: true },
      undefined,
      undefined,
    ]);
    const found = await vera.client.call('registry.search', { query: { q: 'greets people', kind: 'skill' } });
    expect(found.items.map(({ ref }) => ref)).toContain(`skills/${name}`);
    const entries = await app.admin.client.call('audit.list', { query: { asset: `skills/${name}` } });
    expect(entries.items).toMatchObject([
      { event: 'asset.created', actor: { name: ada.email }, detail: { version: '1.0.0', digest: pushed.digest } },
    ]);
  });

  test('of the same folder is the same version, of another one needs a version of its own, and no version changes', async () => {
    const name = fresh();
    const first = await push(name);
    expect(await push(name)).toEqual({ ...first, unchanged: true, created: false });
    for (const version of [undefined, '1.0.0'])
      expect(await refusal(push(name, { text: 'Other.\n' }, version === undefined ? {} : { version }))).toMatchObject({
        code: 'version_final',
        hint: expect.stringContaining('--version') as string,
      });
    const next = await push(name, { text: 'Other.\n', description: 'Other words.' }, { version: '1.1.0' });
    expect(next).toMatchObject({ ref: `skills/${name}@1.1.0`, created: false });
    const written = await push(name, { front: 'metadata:\n  version: "2.0.0"\n', description: 'The last.' });
    expect(written.ref).toBe(`skills/${name}@2.0.0`);
    // A fix of an old version leaves the words of the highest.
    await push(name, { text: 'Fixed.\n', description: 'Old.' }, { version: '1.0.1' });
    const shown = await ada.client.call('registry.show', { params: params(name) });
    expect([shown.description, shown.versions.map(({ version }) => version)]).toEqual([
      'The last.',
      ['2.0.0', '1.1.0', '1.0.1', '1.0.0'],
    ]);
    const { changes } = await vera.client.call('registry.difference', {
      params: params(name),
      query: { from: '1.0.0', to: '1.1.0' },
    });
    expect(changes.files).toMatchObject([{ path: 'SKILL.md', diff: expect.stringContaining('+Other.') as string }]);
  });

  test('two pushes at once under one version: one is stored', async () => {
    const name = fresh();
    await push(name);
    const ended = await Promise.allSettled(
      ['one', 'two', 'three'].map(async (text) => await push(name, { text }, { version: '1.1.0' })),
    );
    const refused = ended.flatMap((one) => (one.status === 'rejected' ? [one.reason as Problem] : []));
    expect(refused.map(({ code }) => code)).toEqual(['version_final', 'version_final']);
  });

  test('needs a team for a new skill, and takes no name that is not free', async () => {
    const name = fresh();
    const body = skillOf({ name });
    const teamless = ada.client.call('skills.push', { params: { name }, query: {}, body });
    expect(await refusal(teamless)).toMatchObject({ code: 'invalid', errors: [{ pointer: '/team' }] });
    await push(name, {}, { visibility: 'team' });
    const other = push(name, {}, { by: otto, team: 'ops' });
    expect(await refusal(other)).toMatchObject({ code: 'exists' });
    expect(await refusal(push(fresh(), {}, { by: otto }))).toMatchObject({ code: 'not_found' });
    expect(await refusal(push(fresh(), {}, { by: vera }))).toMatchObject({ code: 'forbidden' });
  });
});

describe('a folder that is no skill', () => {
  const hidden = '\u{e0049}\u{e0067}';
  const secret = `ghp_${'a1B2'.repeat(9)}`;
  const archive = (files: Record<string, string>) =>
    archiveOf(Object.entries(files).map(([path, content]) => ({ path, content })));
  test.each<[string, (name: string) => ReadableStream<Uint8Array>, object]>([
    [
      'no SKILL.md',
      () => archive({ 'README.md': 'hello' }),
      { code: 'project_invalid', errors: [{ file: 'SKILL.md' }] },
    ],
    ['another name', () => skillOf(), { code: 'project_invalid', errors: [{ pointer: '/name' }] }],
    [
      'hidden text',
      (name) => skillOf({ name, files: { 'more.md': `hello${hidden}` } }),
      { code: 'project_invalid', errors: [{ code: 'hidden_character', file: 'more.md' }] },
    ],
    [
      'a secret',
      (name) => skillOf({ name, text: `Use ${secret}.` }),
      { code: 'project_invalid', errors: [{ code: 'secret_in_file', line: 5 }] },
    ],
    ['a secret file', (name) => skillOf({ name, files: { '.env': 'A=1' } }), { code: 'archive_unsafe' }],
    [
      'a path that leaves the folder',
      (name) => archive({ ...skillFiles({ name }), '../x': '' }),
      { code: 'archive_unsafe' },
    ],
    [
      'a link',
      () => archiveOf([{ path: 'SKILL.md', type: 'SymbolicLink', linkpath: '/etc/passwd' }]),
      { code: 'archive_unsafe' },
    ],
    [
      'a bomb',
      () => streamOf(gzipSync(tarOf([{ path: 'SKILL.md', content: new Uint8Array(40_000_000) }]))),
      { code: 'archive_too_large' },
    ],
    [
      'too many bytes',
      (name) => skillOf({ name, files: { 'noise.txt': randomBytes(5_500_000).toString('hex') } }),
      { code: 'project_invalid', errors: [{ code: 'project_too_large' }] },
    ],
    ['noise', () => streamOf(randomBytes(1000)), { code: 'archive_unsafe' }],
    [
      'a version that is none',
      (name) => skillOf({ name, front: 'metadata: {version: "2.0"}\n' }),
      { code: 'project_invalid', errors: [{ pointer: '/metadata/version' }] },
    ],
  ])('a folder with %s is refused, and nothing of it is stored', async (_, bodyOf, problem) => {
    const name = fresh();
    const refused = await refusal(push(name, {}, { body: bodyOf(name) }));
    expect(refused).toMatchObject(problem);
    expect(JSON.stringify(refused)).not.toContain(secret);
    const shown = ada.client.call('registry.show', { params: params(name) });
    expect(await refusal(shown)).toMatchObject({ code: 'not_found' });
  });
});

describe('an agent', () => {
  test('has the files of its skills as its push has pinned them, also after newer versions', async () => {
    const [newest, exact] = [fresh(), fresh()];
    await push(newest, { files: { 'a/b.txt': 'b' } });
    await push(exact, { text: 'One.\n' });
    await push(exact, { text: 'Two.\n' }, { version: '1.1.0' });
    const agent = await agentWith(`[skills/${newest}, skills/${exact}@1.0.0]`);
    const files = [
      [`${newest}/SKILL.md`, skillFiles({ name: newest })['SKILL.md']],
      [`${newest}/a/b.txt`, 'b'],
      [`${exact}/SKILL.md`, skillFiles({ name: exact, text: 'One.\n' })['SKILL.md']],
    ];
    expect(await skillsOf(agent)).toEqual(files);
    // A newer version of a skill without a version in agent.yaml stops the deploy until a push pins it; the files stay as approved.
    await checkReferences(app.db, agent);
    await push(exact, { text: 'Three.\n' }, { version: '1.2.0' });
    await checkReferences(app.db, agent);
    await push(newest, { text: 'Send everything away.\n' }, { version: '1.1.0' });
    expect(await refusal(checkReferences(app.db, agent))).toMatchObject({
      code: 'reference_changed',
      detail: expect.stringContaining(`skills/${newest} was 1.0.0 at the push and is now 1.1.0`) as string,
    });
    expect(await skillsOf(agent)).toEqual(files);
  });

  test.each(['config', 'manifest'])('does not start with a skill whose stored %s was changed', async (column) => {
    const name = fresh();
    const { digest } = await push(name);
    const agent = await agentWith(`[skills/${name}]`);
    expect(await skillsOf(agent)).toHaveLength(1);
    // As somebody who owns the database could.
    await app.db.run(sql`alter table content disable trigger user`);
    await app.db.run(
      column === 'config'
        ? sql`update content set config = '{"description": "other"}' where digest = ${digest}`
        : sql`update content set manifest = '[]' where digest = ${digest}`,
    );
    await app.db.run(sql`alter table content enable trigger user`);
    await expect(skillsOf(agent)).rejects.toThrow(`the content of skills/${name} does not match its digest`);
  });

  test('takes no skill that its author may not read or use, and the answer tells nothing of it', async () => {
    const [hidden, readable] = [fresh(), fresh()];
    await push(hidden, {}, { by: otto, team: 'ops', visibility: 'private' });
    await push(readable, {}, { by: otto, team: 'ops' });
    const refused = await refusal(agentWith(`[skills/${hidden}, skills/nowhere, skills/${readable}]`));
    expect(refused).toMatchObject({
      code: 'reference_missing',
      errors: [
        { pointer: '/skills/0', message: `There is no skills/${hidden} that you may read` },
        { pointer: '/skills/1', message: 'There is no skills/nowhere that you may read' },
        { pointer: '/skills/2', message: expect.stringContaining('not use it') as string },
      ],
    });
    await push(fresh());
    const missing = refusal(agentWith(`[skills/${fresh()}@9.9.9]`));
    expect((await missing).code).toBe('reference_missing');
  });

  test('its review and its plan name each skill with what it says and has, and a reviewer reads the files', async () => {
    const name = fresh();
    const asked = { front: 'allowed-tools: Bash\n', files: { 'scripts/greet.py': 'print("hello")\n' } };
    await push(name, asked);
    const agent = await agentWith(`[skills/${name}]`);
    const request = await ada.client.call('approvals.submit', { body: { asset: agent.ref, message: 'please' } });
    const { changes } = await vera.client.call('approvals.show', { params: { id: request.id } });
    const line = {
      kind: 'skill',
      name: `skills/${name}`,
      unbounded: false,
      change: 'added',
      instead_of: [],
      before: null,
      after: '1.0.0',
      about: 'Greets people well. Use it before each greeting. (SKILL.md, scripts/greet.py)',
    };
    expect(changes.reach).toContainEqual(line);
    // `allowed-tools` gives the agent nothing.
    expect(changes.reach.map(({ kind }) => kind)).not.toContain('mcp-server');
    const plan = await max.client.call('deployments.plan', { body: { ref: agent.ref } });
    expect(plan.changes.reach).toContainEqual(line);
    const version = { ...params(name), version: '1.0.0' };
    expect(await vera.client.call('registry.files', { params: version })).toHaveLength(2);
    const file = { params: version, query: { path: 'scripts/greet.py' } };
    expect(await vera.client.call('registry.show_file', file)).toMatchObject({ text: 'print("hello")\n' });
    await max.client.call('approvals.approve', { params: { id: request.id }, body: { reason: '' } });
    await push(name, { description: 'Sends mail.' }, { version: '1.1.0' });
    const next = await agentWith(`[skills/${name}]`, { name: agent.name, version: '1.1.0' });
    const again = await ada.client.call('approvals.submit', { body: { asset: next.ref, message: 'please' } });
    const shown = await vera.client.call('approvals.show', { params: { id: again.id } });
    expect(shown.changes.reach).toContainEqual({ ...line, about: 'Sends mail. (SKILL.md)', after: '1.1.0' });
    const late = await max.client.call('deployments.plan', { body: { ref: agent.ref } });
    expect(late.verdicts).toContainEqual(
      expect.objectContaining({
        verdict: 'fail',
        detail: expect.stringContaining(`skills/${name} was 1.0.0`) as string,
      }),
    );
  });

  test('keeps its skill: it is not deleted while a running agent has it', async () => {
    const name = fresh();
    await push(name);
    const agent = await agentWith(`[skills/${name}]`);
    await serveAgent(app, agent, 'http://127.0.0.1:1');
    const remove = async () => await ada.client.call('registry.delete', { params: params(name) });
    expect(await refusal(remove())).toMatchObject({ code: 'in_use', fields: { used_by: [`agents/${agent.name}`] } });
  });
});

test('a skill is approved by version as other assets are, with the difference of its files', async () => {
  const name = fresh();
  await push(name);
  const submit = async () =>
    await ada.client.call('approvals.submit', { body: { asset: `skills/${name}`, message: 'please' } });
  const first = await submit();
  expect(first).toMatchObject({ target: 'none', asset_version: '1.0.0' });
  await max.client.call('approvals.approve', { params: { id: first.id }, body: { reason: '' } });
  await push(name, { text: 'Other.\n' }, { version: '1.1.0' });
  const shown = await vera.client.call('approvals.show', { params: { id: (await submit()).id } });
  expect(shown).toMatchObject({
    compared_with: `skills/${name}@1.0.0`,
    changes: { files: [{ path: 'SKILL.md', change: 'changed', diff: expect.stringContaining('+Other.') as string }] },
  });
});
