import { randomBytes, randomUUID } from 'node:crypto';
import { tmpdir } from 'node:os';
import type { z } from 'zod';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { authorize } from '../../../governance/access/authorize.ts';
import { change } from '../../../governance/access/change.ts';
import { sql } from '../../../ground/database/sql.ts';
import { cursors } from '../../../governance/http/cursor.ts';
import { testDatabase, type TestDatabase } from '../../../testing/test-database.ts';
import { traceContext } from '../../../ground/trace-context.ts';
import { findAgent, findAsset, findVersion } from '../find.ts';
import { loadVersionContent } from '../versions/load-version-content.ts';
import { readNow } from '../../../testing/access/read-now.ts';
import { memoryOfAgent } from './memory-of-agent.ts';
import { checkReferences } from './pin-references.ts';
import { referencesOfAgent } from './references.ts';
import { registryRoutes } from '../routes.ts';
import { seedCast, type Cast, type Person } from '../../../testing/access/cast.ts';
import { startPushes, type Pushes } from '../../../testing/pushes/pushes.ts';
import { finalise, removeAsset } from '../versions/version.ts';
import { rules } from '../../../testing/pushes/rules.ts';

let database: TestDatabase;
let cast: Cast;
let pushes: Pushes;
let routes: ReturnType<typeof registryRoutes>;
let made = 0;

beforeAll(async () => {
  database = await testDatabase();
  cast = await seedCast(database.db);
  pushes = await startPushes(database.db);
  routes = registryRoutes({
    db: database.db,
    cursors: cursors(randomBytes(32)),
    data_dir: tmpdir(),
    readAsOf: readNow(database.db),
    moveKeys: async () => [],
    findNamedUsers: async () => ({ asset_ids: [], is_required: false }),
    removeRows: {},
    countContainers: async () => await Promise.resolve(0),
    rules,
  });
});
afterAll(async () => {
  await pushes?.stop();
  await database?.close();
});

type Kind = 'prompt' | 'tool' | 'knowledge-base' | 'mcp-server' | 'memory-config';
const unused = {
  params: undefined,
  query: undefined,
  body: undefined,
  headers: new Headers(),
  trace: traceContext(new Headers()),
  signal: AbortSignal.timeout(60_000),
};
/** A config that differs from all others of its kind. */
const least = (kind: Kind, name: string): Record<string, z.core.util.JSONType> =>
  ({
    prompt: { template: name },
    tool: { returns: { title: name } },
    'knowledge-base': { documents: [{ text: name }] },
    'mcp-server': { command: name },
    'memory-config': { ttl_seconds: 60 + made },
  })[kind];
const fresh = (word: string) => `${word}-${++made}`;

async function create(
  person: Person,
  kind: Kind,
  team: string,
  visibility: 'private' | 'team' | 'org' = 'org',
  given?: Record<string, z.core.util.JSONType>,
): Promise<string> {
  const name = fresh('thing');
  const config = given ?? least(kind, name);
  const body = { name, team, version: '1.0.0', description: '', tags: [], visibility, config };
  await routes['registry.create']({ ...unused, caller: await cast.caller(person), params: { kind }, body });
  return name;
}
async function edit(person: Person, kind: Kind, name: string, version: string): Promise<void> {
  await routes['registry.edit']({
    ...unused,
    caller: await cast.caller(person),
    params: { kind, name },
    body: { version, config: { type: 'http', url: `https://example.com/${version}` } },
  });
}
async function remove(kind: Kind, name: string): Promise<void> {
  const root = await cast.caller('root');
  const asset = await findAsset(database.db, kind, name, root);
  if (asset === undefined) throw new Error(`there is no ${name}`);
  const grant = authorize(root, 'asset.delete', asset);
  await change(database.db, grant, 'asset.deleted', async (tx) => await removeAsset(tx, asset.id));
}
async function pushWith(yaml: string, person: Person = 'ada') {
  const name = fresh('agent');
  const run = await pushes.push(await cast.caller(person), { name, yaml });
  const agent = await findAgent(database.db, name, null);
  const version = agent && (await findVersion(database.db, agent.id, 'latest'));
  return { name, run, version, pushAgain: async () => await pushes.push(await cast.caller(person), { name, yaml }) };
}

test('a reference of every kind is pinned to its present version and digest', async () => {
  const [tool, base, server, memory] = [
    await create('ada', 'tool', 'ml'),
    await create('ada', 'knowledge-base', 'ml'),
    await create('ada', 'mcp-server', 'ml'),
    await create('ada', 'memory-config', 'ml'),
  ];
  const sub = await pushWith('');
  const yaml = `tools: [tools/${tool}, {name: local, type: function}]\nknowledge_bases: [{ref: kb/${base}}]\nmcp_servers: [{ref: mcp/${server}, transport: stdio}]\nmemory: memory-configs/${memory}\nsubagents: [agents/${sub.name}]\n`;
  const { run, version } = await pushWith(yaml);
  expect(run).toMatchObject({ state: 'done', problem: null });
  const { references } = await loadVersionContent(database.db, version?.id ?? '');
  expect(references.map((pin) => pin.ref)).toEqual([
    `agents/${sub.name}`,
    `knowledge-bases/${base}`,
    `mcp-servers/${server}`,
    `memory-configs/${memory}`,
    `tools/${tool}`,
  ]);
  expect(references[0]).toMatchObject({
    version: '1.0.0',
    digest: sub.version?.digest,
    asset_id: sub.version?.asset_id,
  });
  const digest = version?.digest ?? '';
  expect(await checkReferences(database.db, { digest })).toEqual(references);
  expect(await memoryOfAgent(database.db, digest)).toMatchObject({
    ref: `memory-configs/${memory}`,
    config: { kind: 'buffer', scope: 'user', store: 'container', ttl_seconds: expect.any(Number) as number },
  });
  expect(await memoryOfAgent(database.db, sub.version?.digest ?? '')).toBeUndefined();
});

test.each([
  ['has store redis', { store: 'redis', secret: 'REDIS' }],
  ['has store postgres', { store: 'postgres', secret: 'DB' }],
] as const)('a memory config that would not be in effect is refused: it %s', async (says, config) => {
  const memory = await create('ada', 'memory-config', 'ml', 'org', config);
  const refused = await pushWith(`memory: memory-configs/${memory}\n`);
  expect(refused.run).toMatchObject({
    state: 'failed',
    problem: {
      code: 'reference_missing',
      errors: [{ pointer: '/memory', message: expect.stringContaining(`memory-configs/${memory} ${says}`) as string }],
    },
  });
});

test.each([
  [{ kind: 'buffer' }, undefined],
  [{ kind: 'window' }, 'memory-configs/short has kind window, which acts on the messages of a graph'],
  [{ kind: 'summary' }, 'memory-configs/short has kind summary, which acts on the messages of a graph'],
  [{ embedding: { ref: 'models/embed' } }, 'memory-configs/short has an embedding'],
])('a crew with the memory config %j', (written, refusal) => {
  const config = { name: 'crew', version: '1.0.0', team: 'ml', memory: { ref: 'memory-configs/short' } } as const;
  const of = (framework: 'crewai' | 'langgraph') =>
    referencesOfAgent({ ...config, framework }).references[0]?.unfit?.(written, config.memory.ref);
  expect(of('langgraph')).toBeUndefined();
  expect(of('crewai')?.split(', and')[0]).toBe(refusal);
});

test('missing and unreadable references get the same sentence, and all are listed', async () => {
  const secret = await create('otto', 'tool', 'ops', 'private');
  const { run } = await pushWith(`tools: [tools/${secret}, tools/nowhere]\n`);
  expect(run).toMatchObject({
    state: 'failed',
    problem: {
      code: 'reference_missing',
      errors: [
        { pointer: '/tools/0', message: `There is no tools/${secret} that you may read` },
        { pointer: '/tools/1', message: 'There is no tools/nowhere that you may read' },
      ],
    },
  });
  const own = await pushWith('subagents: [agents/nowhere]\n');
  expect(own.run).toMatchObject({ problem: { code: 'reference_missing' } });
  expect(own.version).toBeUndefined();
});

test('a readable asset without the use permission is refused, and accepted once granted', async () => {
  const tool = await create('otto', 'tool', 'ops');
  const refused = await pushWith(`tools: [tools/${tool}]\n`);
  expect(refused.run).toMatchObject({
    state: 'failed',
    problem: { code: 'reference_missing', errors: [{ message: expect.stringContaining('not use it') }] },
  });
  const asset = await findAsset(database.db, 'tool', tool, null);
  await cast.write(
    'permission',
    sql`insert into permission (asset_id, principal_type, principal_id, actions) values (${asset?.id}, 'team', ${cast.team('ml')}, array['use']) returning id`,
  );
  expect(await refused.pushAgain()).toMatchObject({ state: 'done' });
});

test('an agent cannot be its own subagent', async () => {
  const name = fresh('agent');
  await pushes.push(await cast.caller('ada'), { name });
  const run = await pushes.push(await cast.caller('ada'), { name, yaml: `subagents: [agents/${name}]\n` });
  expect(run).toMatchObject({ state: 'failed', problem: { code: 'reference_missing' } });
});

test('a changed reference is refused by name, and another push pins its present content', async () => {
  const tool = await create('ada', 'tool', 'ml');
  const pushed = await pushWith(`tools: [tools/${tool}]\n`);
  const digest = pushed.version?.digest ?? '';
  await checkReferences(database.db, { digest });
  await edit('ada', 'tool', tool, '1.1.0');
  await expect(checkReferences(database.db, { digest })).rejects.toMatchObject({
    code: 'reference_changed',
    status: 409,
    detail: expect.stringContaining(`tools/${tool} was 1.0.0 at the push and is now 1.1.0`),
  });
  const again = await pushed.pushAgain();
  expect(again.result?.digest).not.toBe(digest);
  await checkReferences(database.db, { digest: again.result?.digest ?? '' });
});

test('the transport in agent.yaml must be the server’s transport', async () => {
  const server = await create('ada', 'mcp-server', 'ml');
  const { run } = await pushWith(`mcp_servers: [{ref: mcp/${server}, transport: sse}]\n`);
  expect(run).toMatchObject({
    state: 'failed',
    problem: {
      code: 'reference_missing',
      errors: [{ pointer: '/mcp_servers/0', message: `mcp-servers/${server} has transport stdio, but sse is needed` }],
    },
  });
});

test('an MCP server from before the name registry was reserved is refused at the push, with its next step', async () => {
  const server = await create('ada', 'mcp-server', 'ml');
  const named = (name: string) => `mcp_servers: [{ref: mcp/${name}, transport: stdio}]\n`;
  expect((await pushWith(named(server))).run.state).toBe('done');
  // A new server cannot have the name.
  await cast.write('asset', sql`update asset set name = 'registry' where name = ${server} returning id`);
  const { run, version } = await pushWith(named('registry'));
  expect(version).toBeUndefined();
  const message = expect.stringMatching(/^mcp-servers\/registry .*: create the server under another name$/) as string;
  expect(run).toMatchObject({
    state: 'failed',
    problem: { code: 'reference_missing', errors: [{ pointer: '/mcp_servers/0', message }] },
  });
});

test('a config stored under looser rules is refused at push and at deploy, with the command to change it', async () => {
  const tool = await create('ada', 'tool', 'ml');
  const { version } = await pushWith(`tools: [tools/${tool}]\n`);
  const asset = await findAsset(database.db, 'tool', tool, null);
  // The database before configs had a form; the pin follows, so that nothing else changes.
  await database.db
    .run(sql`insert into content (digest, config, manifest, source, lock, dependencies, base_image, python, pins)
    select ${`old-${tool}`}, '{"anything": 1}', manifest, source, lock, dependencies, base_image, python, '[]' from content limit 1`);
  await cast.write(
    'version',
    sql`update version set digest = ${`old-${tool}`} where asset_id = ${asset?.id} returning id`,
  );
  const pins = JSON.stringify([{ ref: `tools/${tool}`, asset_id: asset?.id, version: '1.0.0', digest: `old-${tool}` }]);
  await database.db
    .run(sql`insert into content (digest, config, manifest, source, lock, dependencies, base_image, python, pins)
    select ${`agent-${tool}`}, config, manifest, source, lock, dependencies, base_image, python, ${pins} from content where digest = ${version?.digest}`);
  const said = `The config of tools/${tool}@1.0.0 is no longer accepted`;
  await expect(checkReferences(database.db, { digest: `agent-${tool}` })).rejects.toMatchObject({
    code: 'reference_missing',
    detail: expect.stringContaining(said),
  });
  const { run } = await pushWith(`tools: [tools/${tool}]\n`);
  expect(run).toMatchObject({ problem: { errors: [{ message: expect.stringContaining('svc registry tool edit') }] } });
});

test('the reference of an agent that runs on any target cannot be deleted; the agent’s name is hidden from callers who may not read it', async () => {
  const tool = await create('ada', 'tool', 'ml');
  const remove = async (person: Person) =>
    await routes['registry.delete']({
      ...unused,
      caller: await cast.caller(person),
      params: { kind: 'tool', name: tool },
      query: { force: false },
    });
  const { name, version } = await pushWith(`access: {visibility: team}\ntools: [tools/${tool}]\n`);
  const revision_id = randomUUID();
  await cast.write(
    'revision',
    sql`insert into revision (id, agent_id, version_id, version, digest, target, image, deployed_by, deployed_by_name)
      values (${revision_id}, ${version?.asset_id}, ${version?.id}, '1.0.0', ${version?.digest}, 'elsewhere', 'sha256:image', ${cast.id('ada')}, 'Ada') returning id`,
  );
  await cast.write(
    'route',
    sql`insert into route (agent_id, target, revision_id, desired) values (${version?.asset_id}, 'elsewhere', ${revision_id}, 'running') returning id`,
  );
  const asset = await findAsset(database.db, 'tool', tool, null);
  await expect(remove('ada')).rejects.toMatchObject({
    code: 'in_use',
    status: 409,
    detail: `tools/${tool} is used by agents/${name}.`,
  });
  await cast.write(
    'permission',
    sql`delete from permission where asset_id = ${version?.asset_id} and principal_type = 'team' returning id`,
  );
  await cast.write(
    'permission',
    sql`insert into permission (asset_id, principal_type, principal_id, actions) values (${asset?.id}, 'user', ${cast.id('bob')}, array['admin']) returning id`,
  );
  await expect(remove('bob')).rejects.toMatchObject({ detail: `tools/${tool} is used by 1 that you may not read.` });
  await cast.write('route', sql`update route set desired = 'stopped' where revision_id = ${revision_id} returning id`);
  await remove('bob');
  expect(await findAsset(database.db, 'tool', tool, null)).toBeUndefined();
});

test('a deleted reference is refused, also when another asset takes its name', async () => {
  const tool = await create('ada', 'tool', 'ml');
  const { version } = await pushWith(`tools: [tools/${tool}]\n`);
  await remove('tool', tool);
  await expect(checkReferences(database.db, { digest: version?.digest ?? '' })).rejects.toMatchObject({
    code: 'reference_missing',
  });
  const body = {
    name: tool,
    team: 'ml',
    version: '1.0.0',
    description: '',
    tags: [],
    visibility: 'org',
    config: least('tool', tool),
  } as const;
  await routes['registry.create']({
    ...unused,
    caller: await cast.caller('ada'),
    params: { kind: 'tool' },
    body: { ...body, tags: [] },
  });
  await expect(checkReferences(database.db, { digest: version?.digest ?? '' })).rejects.toMatchObject({
    code: 'reference_missing',
  });
});

/** Makes a version of an agent final, as an approval does. */
async function finalOf(name: string, version: string): Promise<void> {
  const root = await cast.caller('root');
  const agent = await findAgent(database.db, name, root);
  const row = agent && (await findVersion(database.db, agent.id, version));
  if (row === undefined || agent === undefined) throw new Error('not pushed');
  const grant = authorize(root, 'approval.decide', agent);
  await change(
    database.db,
    grant,
    'approval.decided',
    async (tx) => await finalise(tx, { version_id: row.id, digest: row.digest }),
  );
}

test('a subagent is pinned by its id: its next final version changes no reference to it, and no digest', async () => {
  const sub = fresh('agent');
  await pushes.push(await cast.caller('ada'), { name: sub });
  await finalOf(sub, '1.0.0');
  const boss = await pushWith(`subagents: [agents/${sub}]\n`);
  const digest = boss.version?.digest ?? '';
  await finalOf(boss.name, '1.0.0');
  await pushes.push(await cast.caller('ada'), { name: sub, version: '1.0.1' });
  await finalOf(sub, '1.0.1');
  expect(await checkReferences(database.db, { digest })).toMatchObject([{ ref: `agents/${sub}`, version: '1.0.0' }]);
  expect((await boss.pushAgain()).result).toMatchObject({ digest, unchanged: true });
});

test('a subagent that was deleted is refused, also when another agent takes its name', async () => {
  const sub = fresh('agent');
  await pushes.push(await cast.caller('ada'), { name: sub });
  const boss = await pushWith(`subagents: [agents/${sub}]\n`);
  const { digest = '' } = boss.version ?? {};
  await finalOf(boss.name, '1.0.0');
  await checkReferences(database.db, { digest });
  const root = await cast.caller('root');
  const agent = await findAgent(database.db, sub, root);
  const grant = authorize(root, 'asset.delete', agent ?? { kind: 'org' });
  await change(database.db, grant, 'asset.deleted', async (tx) => await removeAsset(tx, agent?.id ?? ''));
  await expect(checkReferences(database.db, { digest })).rejects.toMatchObject({ code: 'reference_missing' });
  await pushes.push(await cast.caller('ada'), { name: sub });
  await expect(checkReferences(database.db, { digest })).rejects.toMatchObject({ code: 'reference_missing' });
  expect(await boss.pushAgain()).toMatchObject({ state: 'failed', problem: { code: 'version_final' } });
});

test('a subagent with a version is the agent of that version, which must exist', async () => {
  const sub = fresh('agent');
  await pushes.push(await cast.caller('ada'), { name: sub });
  await pushes.push(await cast.caller('ada'), { name: sub, version: '1.0.1' });
  const { version } = await pushWith(`subagents: [agents/${sub}@1.0.0]\n`);
  const { references } = await loadVersionContent(database.db, version?.id ?? '');
  const agent = await findAgent(database.db, sub, null);
  expect(references).toMatchObject([{ ref: `agents/${sub}@1.0.0`, version: '1.0.0', asset_id: agent?.id }]);
  const { run } = await pushWith(`subagents: [agents/${sub}@2.0.0]\n`);
  expect(run).toMatchObject({
    problem: {
      code: 'reference_missing',
      errors: [{ pointer: '/subagents/0', message: `agents/${sub} has no version 2.0.0` }],
    },
  });
});

test('a final version whose reference changed cannot be pushed again under its number', async () => {
  const tool = await create('ada', 'tool', 'ml');
  const pushed = await pushWith(`tools: [tools/${tool}]\n`);
  const root = await cast.caller('root');
  const agent = await findAgent(database.db, pushed.name, root);
  const grant = authorize(root, 'approval.decide', agent ?? { kind: 'org' });
  const { id = '', digest = '' } = pushed.version ?? {};
  await change(database.db, grant, 'approval.decided', async (tx) => await finalise(tx, { version_id: id, digest }));
  expect((await pushed.pushAgain()).result).toMatchObject({ unchanged: true });
  await edit('ada', 'tool', tool, '2.0.0');
  expect(await pushed.pushAgain()).toMatchObject({ state: 'failed', problem: { code: 'version_final' } });
});

/** As a move of the label would store it. */
async function label(prompt: string, name: string, version: string): Promise<void> {
  const asset = await findAsset(database.db, 'prompt', prompt, null);
  const row = asset && (await findVersion(database.db, asset.id, version));
  await cast.write(
    'prompt_label_move',
    sql`insert into prompt_label_move (asset_id, label, number, version_id, moved_by)
      select ${asset?.id}, ${name}, count(*) + 1, ${row?.id}, 'ada' from prompt_label_move where asset_id = ${asset?.id} and label = ${name} returning id`,
  );
}
async function writeVersion(prompt: string, version: string): Promise<void> {
  await routes['registry.edit']({
    ...unused,
    caller: await cast.caller('ada'),
    params: { kind: 'prompt', name: prompt },
    body: { version, config: { template: version } },
  });
}

test('a version of a prompt stays as it is: a newer one changes nothing for an agent that names it', async () => {
  const prompt = await create('ada', 'prompt', 'ml');
  const { version } = await pushWith(`prompts: {system: prompts/${prompt}@1.0.0, other: prompts/${prompt}}\n`);
  const { references } = await loadVersionContent(database.db, version?.id ?? '');
  expect(references).toMatchObject([
    { ref: `prompts/${prompt}`, version: '1.0.0' },
    { ref: `prompts/${prompt}@1.0.0`, version: '1.0.0' },
  ]);
  const exact = await pushWith(`prompts: {system: prompts/${prompt}@1.0.0}\n`);
  await writeVersion(prompt, '1.1.0');
  await checkReferences(database.db, { digest: exact.version?.digest ?? '' });
  await expect(checkReferences(database.db, { digest: version?.digest ?? '' })).rejects.toMatchObject({
    code: 'reference_changed',
    detail: `prompts/${prompt} was 1.0.0 at the push and is now 1.1.0, with other content.`,
  });
});

test('a label is pinned by its name: its moves change no reference and no digest', async () => {
  const prompt = await create('ada', 'prompt', 'ml');
  await writeVersion(prompt, '1.1.0');
  await label(prompt, 'production', '1.0.0');
  const agent = await pushWith(`prompts: {system: prompts/${prompt}@production}\n`);
  const digest = agent.version?.digest ?? '';
  await label(prompt, 'production', '1.1.0');
  expect(await checkReferences(database.db, { digest })).toMatchObject([
    { ref: `prompts/${prompt}@production`, version: '1.0.0' },
  ]);
  expect((await agent.pushAgain()).result).toMatchObject({ digest, unchanged: true });
});

test('a label that nobody has set is refused at the push, with its next step', async () => {
  const prompt = await create('ada', 'prompt', 'ml');
  const { run } = await pushWith(`prompts: {system: prompts/${prompt}@production}\n`);
  const message = `prompts/${prompt} has no label production. Set it: svc prompt label ${prompt} production <version>`;
  expect(run).toMatchObject({
    problem: { code: 'reference_missing', errors: [{ pointer: '/prompts/system', message }] },
  });
});

test.each(['agents/x@production', 'tools/x@production', 'prompts/x@latest', 'prompts/x@1.0', 'prompts/x@'])(
  '%s is no prompt of an agent',
  async (ref) => {
    await expect(pushWith(`prompts: {system: ${JSON.stringify(ref)}}\n`)).rejects.toMatchObject({
      code: 'project_invalid',
      detail: expect.stringContaining('must be prompts/<name>') as string,
    });
  },
);
