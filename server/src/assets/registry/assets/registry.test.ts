import { randomBytes } from 'node:crypto';
import { tmpdir } from 'node:os';
import type { AssetKind } from '@gantry/contract/roles.ts';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { canRead, isMember } from '../../../governance/access/decide.ts';
import { sql } from '../../../ground/database/sql.ts';
import { cursors } from '../../../governance/http/cursor.ts';
import { testDatabase, type TestDatabase } from '../../../testing/test-database.ts';
import { traceContext } from '../../../ground/trace-context.ts';
import { findAgent, findAsset } from '../find.ts';
import { registryRoutes } from '../routes.ts';
import { emailOf, seedCast, type Cast, type Person } from '../../../testing/access/cast.ts';
import { startPushes, type Pushes } from '../../../testing/pushes/pushes.ts';
import { projectOf } from '../../../testing/pushes/project-archive.ts';
import { prefixQuery, words } from '../words.ts';
import { readNow } from '../../../testing/access/read-now.ts';
import { rules } from '../../../testing/pushes/rules.ts';

let database: TestDatabase;
let cast: Cast;
let pushes: Pushes;
let routes: ReturnType<typeof registryRoutes>;

const everybody = ['root', 'root2', 'ada', 'bob', 'dora', 'vera', 'max', 'otto', 'olga', 'nemo'] as const;
const unused = {
  params: undefined,
  query: undefined,
  body: undefined,
  headers: new Headers(),
  signal: AbortSignal.timeout(60_000),
  trace: traceContext(new Headers()),
  callerNow: async () => await cast.caller('otto'),
};
const anonymous = () => ({ kind: 'anonymous' as const, origin: { request_id: null, ip: null, receipts: [] } });
type Simple = 'tool' | 'knowledge-base' | 'mcp-server';
const simple = { version: '1.0.0', description: '', tags: [] as string[], visibility: 'org' as const, config: {} };

async function create(
  person: Person,
  kind: Simple,
  name: string,
  more: Partial<{
    team: string;
    description: string;
    tags: string[];
    visibility: 'private' | 'team' | 'org';
    config: Record<string, never>;
  }> = {},
) {
  return await routes['registry.create']({
    ...unused,
    caller: await cast.caller(person),
    params: { kind },
    body: { ...simple, config: kind === 'mcp-server' ? { command: name } : {}, name, team: 'ml', ...more },
  });
}
async function show(person: Person, kind: AssetKind, name: string) {
  return await routes['registry.show']({ ...unused, caller: await cast.caller(person), params: { kind, name } });
}
async function list(person: Person, kind: AssetKind, query: { team?: string; limit?: number; cursor?: string } = {}) {
  return await routes['registry.list']({
    ...unused,
    caller: await cast.caller(person),
    params: { kind },
    query: { limit: 200, ...query },
  });
}
async function search(person: Person, q = '', query: { kind?: AssetKind; limit?: number; cursor?: string } = {}) {
  return await routes['registry.search']({
    ...unused,
    caller: await cast.caller(person),
    query: { q, limit: 200, ...query },
  });
}
const names = (page: { items: { name: string }[] }) => page.items.map((item) => item.name);

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
  const yaml =
    'description: Says hello to everybody\ntags: [polite, demo.v2]\ndeploy:\n  env_vars:\n    GREETING: hi there\n';
  await pushes.push(await cast.caller('ada'), { name: 'greeter', yaml }, 'first');
  await pushes.push(await cast.caller('otto'), { name: 'mailer', team: 'ops', yaml: 'description: Sends mail\n' });
});
afterAll(async () => {
  await pushes?.stop();
  await database?.close();
});

describe('search', () => {
  test.for([
    ['greet', 'the beginning of the name'],
    ['GREETER', 'the name in another case'],
    ['every', 'a word of the description'],
    ['polite', 'a tag'],
    ['demo v2', 'both parts of a tag'],
    ['langgr', 'the framework'],
    ['ml hello', 'the team and a word of the description'],
  ])('%j finds the agent by %s', async ([q]) => {
    expect(names(await search('ada', q))).toContain('greeter');
  });

  test('every word is required, and a query without a word finds nothing', async () => {
    expect(names(await search('ada', 'greet mail'))).toEqual([]);
    expect(names(await search('ada', 'reeter'))).toEqual([]);
    expect(names(await search('ada', "& | ! ' :* <->"))).toEqual([]);
    expect(names(await search('ada', "greet' or 1=1 --"))).toEqual([]);
  });

  test('it holds only assets that the caller may be shown', async () => {
    expect(names(await search('otto', 'greet'))).toEqual([]);
    expect(names(await search('root', 'greet'))).toEqual(['greeter']);
    expect(names(await search('nemo', 'greet'))).toEqual([]);
  });

  test('a kind narrows it, and its pages have every hit once', async () => {
    for (const index of [1, 2, 3, 4, 5])
      await create('ada', 'tool', `pager-${index}`, { description: 'pager '.repeat(index) });
    expect(names(await search('ada', 'pager', { kind: 'agent' }))).toEqual([]);
    const seen: string[] = [];
    let cursor: string | undefined;
    do {
      const page = await search('ada', 'pager', { limit: 2, cursor });
      seen.push(...names(page));
      cursor = page.next_cursor;
    } while (cursor !== undefined);
    expect(seen).toEqual(names(await search('ada', 'pager')));
    expect(seen.toSorted()).toEqual(['pager-1', 'pager-2', 'pager-3', 'pager-4', 'pager-5']);
    const { next_cursor } = await search('ada', 'pager', { limit: 2 });
    await expect(search('ada', 'pag', { limit: 2, cursor: next_cursor })).rejects.toMatchObject({ code: 'bad_cursor' });
    await expect(search('max', 'pager', { limit: 2, cursor: next_cursor })).rejects.toMatchObject({
      code: 'bad_cursor',
    });
  });

  test('words are split the same way in documents and in queries', () => {
    expect(words('demo.v2 Café/Ünïcode_x-1')).toEqual(['demo', 'v2', 'café', 'ünïcode', 'x', '1']);
    expect(prefixQuery('  demo.v2 ')).toBe('demo:* & v2:*');
    expect(prefixQuery('!&|')).toBeUndefined();
  });
});

describe('list', () => {
  test('it holds the readable assets of the caller’s teams, published ones, their own and those granted by name', async () => {
    for (const visibility of ['private', 'team', 'org'] as const)
      for (const [person, team] of [
        ['ada', 'ml'],
        ['otto', 'ops'],
        ['olga', 'ops'],
      ] as const) {
        await create(person, 'mcp-server', `${visibility}-of-${person}`, { team, visibility });
      }
    await cast.write(
      'asset',
      sql`update asset set published = true where name in ('org-of-otto', 'private-of-otto') returning id`,
    );
    const granted = await findAsset(database.db, 'mcp-server', 'private-of-olga', null);
    await cast.write(
      'permission',
      sql`insert into permission (asset_id, principal_type, principal_id, actions) values (${granted?.id}, 'user', ${cast.id('vera')}, array['read']) returning id`,
    );
    const { items } = await list('root', 'mcp-server');
    expect(items).toHaveLength(9);
    for (const person of everybody) {
      const caller = await cast.caller(person);
      const all = await Promise.all(
        items.map(async ({ name }) => await findAsset(database.db, 'mcp-server', name, caller)),
      );
      const expected = all.flatMap((asset) => {
        if (asset === undefined || !canRead(caller, asset)) return [];
        const named = asset.entries.some(
          (entry) => entry.principal_type === 'user' && entry.principal_id === caller.id,
        );
        const shown =
          caller.role === 'admin' ||
          isMember(caller, asset.team.id) ||
          asset.published ||
          asset.owner_id === caller.id ||
          named;
        return shown ? [asset.name] : [];
      });
      expect([person, names(await list(person, 'mcp-server'))]).toEqual([person, expected.toSorted()]);
    }
    expect(names(await list('vera', 'mcp-server'))).toEqual([
      'org-of-ada',
      'org-of-otto',
      'private-of-olga',
      'team-of-ada',
    ]);
  });

  test('the name of another team as a filter reveals no further asset', async () => {
    expect(names(await list('ada', 'mcp-server', { team: 'ops' }))).toEqual(['org-of-otto']);
    expect(names(await list('ada', 'mcp-server', { team: 'nowhere' }))).toEqual([]);
  });

  test('it names the latest and the serving version', async () => {
    expect((await list('ada', 'agent')).items).toMatchObject([
      {
        ref: 'agents/greeter',
        team: 'ml',
        owner: emailOf('ada'),
        latest_version: '1.0.0',
        serving_version: null,
        tags: ['polite', 'demo.v2'],
      },
    ]);
  });
});

describe('show', () => {
  test('it holds versions, permissions by name and the config', async () => {
    const detail = await show('ada', 'agent', 'greeter');
    expect(detail.versions).toMatchObject([
      { ref: 'agents/greeter@1.0.0', state: 'draft', approved: false, message: 'first', pushed_by: emailOf('ada') },
    ]);
    expect(detail.permissions).toEqual([
      { principal: `user:${emailOf('ada')}`, actions: ['read', 'use', 'write', 'publish', 'admin'] },
      { principal: 'team:ml', actions: ['read', 'use'] },
      { principal: 'org', actions: ['read'] },
    ]);
    expect(detail.config).toMatchObject({ deploy: { env_vars: { GREETING: 'hi there' } } });
  });

  test('a caller without write access gets the names of environment variables, but no values', async () => {
    for (const person of ['vera', 'dora', 'otto', 'nemo', 'bob'] as const) {
      expect((await show(person, 'agent', 'greeter')).config).toMatchObject({
        deploy: { env_vars: { GREETING: '(hidden)' } },
      });
    }
    for (const person of ['max', 'root'] as const)
      expect((await show(person, 'agent', 'greeter')).config).toMatchObject({
        deploy: { env_vars: { GREETING: 'hi there' } },
      });
  });

  test('an asset of another kind, a missing one and an unreadable one get the same answer', async () => {
    const missing = (await show('otto', 'agent', 'nowhere').catch((error: unknown) => error)) as Error;
    await create('ada', 'tool', 'hidden', { visibility: 'private' });
    await expect(show('otto', 'tool', 'hidden')).rejects.toMatchObject({ code: 'not_found', message: missing.message });
    await expect(show('ada', 'tool', 'greeter')).rejects.toMatchObject({ code: 'not_found', message: missing.message });
    expect((await show('ada', 'tool', 'hidden')).name).toBe('hidden');
  });
});

describe('tools, knowledge bases and MCP servers', () => {
  test('a member of the team creates one; its version is final and found by its name', async () => {
    const made = await create('bob', 'tool', 'search-web', { description: 'Looks things up', tags: ['web'] });
    expect(made).toMatchObject({
      ref: 'tools/search-web',
      kind: 'tool',
      owner: emailOf('bob'),
      latest_version: '1.0.0',
      visibility: 'org',
      framework: null,
    });
    expect(made.versions).toMatchObject([{ version: '1.0.0', state: 'final' }]);
    expect(names(await search('bob', 'looks'))).toEqual(['search-web']);
  });

  test('a name is unique per kind', async () => {
    await create('ada', 'tool', 'unique');
    await expect(create('bob', 'tool', 'unique')).rejects.toMatchObject({ code: 'exists', status: 409 });
    expect((await create('bob', 'knowledge-base', 'unique')).ref).toBe('knowledge-bases/unique');
  });

  test('a viewer, an outsider and a stranger create none', async () => {
    await expect(create('vera', 'tool', 'mine')).rejects.toMatchObject({ code: 'forbidden' });
    await expect(create('otto', 'tool', 'mine')).rejects.toMatchObject({ code: 'not_found' });
    await expect(create('ada', 'tool', 'mine', { team: 'nowhere' })).rejects.toMatchObject({ code: 'not_found' });
    await expect(
      routes['registry.create']({
        ...unused,
        caller: anonymous(),
        params: { kind: 'tool' },
        body: { ...simple, name: 'mine', team: 'ml' },
      }),
    ).rejects.toMatchObject({ code: 'unauthenticated' });
    expect(await findAsset(database.db, 'tool', 'mine', null)).toBeUndefined();
  });

  test('an edit makes a new version; other content for an existing version is refused', async () => {
    await create('ada', 'tool', 'edited');
    const edit = async (
      person: Person,
      body: { version: string; config: Record<string, { title: string }>; description?: string },
      name = 'edited',
    ) =>
      await routes['registry.edit']({
        ...unused,
        caller: await cast.caller(person),
        params: { kind: 'tool', name },
        body,
      });
    expect(
      await edit('ada', { version: '1.1.0', config: { returns: { title: 'b' } }, description: 'better' }),
    ).toMatchObject({
      latest_version: '1.1.0',
      description: 'better',
      config: { type: 'function', returns: { title: 'b' } },
    });
    await expect(edit('ada', { version: '1.1.0', config: { returns: { title: 'c' } } })).rejects.toMatchObject({
      code: 'version_final',
    });
    expect(
      (await edit('ada', { version: '1.1.0', config: { returns: { title: 'b' } }, description: 'best' })).versions,
    ).toHaveLength(2);
    await expect(edit('bob', { version: '1.2.0', config: {} })).rejects.toMatchObject({ code: 'forbidden' });
    await expect(edit('otto', { version: '1.2.0', config: {} })).rejects.toMatchObject({ code: 'forbidden' });
    await expect(edit('ada', { version: '1.2.0', config: {} }, 'nowhere')).rejects.toMatchObject({ code: 'not_found' });
    await expect(edit('otto', { version: '1.2.0', config: {} }, 'hidden')).rejects.toMatchObject({ code: 'not_found' });
    expect((await show('ada', 'tool', 'edited')).latest_version).toBe('1.1.0');
  });
});

describe('pushes', () => {
  const push = async (person: Person, name: string) =>
    await routes['agents.push']({
      ...unused,
      caller: await cast.caller(person),
      callerNow: async () => await cast.caller(person),
      params: { name },
      query: { message: 'hello' },
      body: projectOf({ name }),
    });
  const showPush = async (person: Person, id: string) =>
    await routes['pushes.show']({ ...unused, caller: await cast.caller(person), params: { id } });

  test('a push answers at once, and shows its result later', async () => {
    const accepted = await push('ada', 'watched');
    expect(accepted).toMatchObject({ ref: 'agents/watched@1.0.0', problem: null });
    await pushes.ended(accepted.id);
    const done = await showPush('ada', accepted.id);
    expect(done).toMatchObject({
      state: 'done',
      unchanged: false,
      digest: expect.stringMatching(/^sha256:[0-9a-f]{64}$/),
    });
    for (const person of ['otto', 'root', 'vera'] as const)
      expect((await showPush(person, accepted.id)).id).toBe(accepted.id);
  });

  test('its events can be read from the beginning and after any of them', async () => {
    const { id } = await push('ada', 'followed');
    const read = async (last?: string) => {
      const headers = new Headers(last === undefined ? {} : { 'last-event-id': last });
      const events = await routes['pushes.events']({
        ...unused,
        headers,
        caller: await cast.caller('ada'),
        params: { id },
        query: {},
      });
      const all = [];
      for await (const event of events) all.push(event);
      return all;
    };
    const all = await read();
    expect(
      all.filter((event) => event.data.kind === 'step' && event.data.state === 'done').map((event) => event.data.step),
    ).toEqual(['references', 'dependencies', 'store']);
    expect(all.at(-1)).toMatchObject({ data: { kind: 'end', state: 'done' } });
    expect(await read(all[1]?.id)).toEqual(all.slice(2));
  });

  test('a push without an agent is visible only to its pusher and platform admins', async () => {
    const { id } = await routes['agents.push']({
      ...unused,
      caller: await cast.caller('ada'),
      callerNow: async () => await cast.caller('ada'),
      params: { name: 'failing' },
      query: { message: '' },
      body: projectOf({ name: 'failing', yaml: 'tools: [tools/nowhere]\n' }),
    });
    await pushes.ended(id);
    expect(await showPush('ada', id)).toMatchObject({ state: 'failed', problem: { code: 'reference_missing' } });
    expect((await showPush('root', id)).id).toBe(id);
    for (const person of ['max', 'otto', 'nemo'] as const)
      await expect(showPush(person, id)).rejects.toMatchObject({ code: 'not_found' });
    await expect(showPush('ada', '00000000-0000-4000-8000-000000000000')).rejects.toMatchObject({ code: 'not_found' });
    await expect(routes['pushes.show']({ ...unused, caller: anonymous(), params: { id } })).rejects.toMatchObject({
      code: 'unauthenticated',
    });
    await expect(
      routes['pushes.events']({ ...unused, caller: await cast.caller('otto'), params: { id }, query: {} }),
    ).rejects.toMatchObject({ code: 'not_found' });
  });
});

test('a caller without a session cannot read the registry', async () => {
  await expect(
    routes['registry.list']({ ...unused, caller: anonymous(), params: { kind: 'agent' }, query: { limit: 1 } }),
  ).rejects.toMatchObject({ code: 'unauthenticated' });
  await expect(
    routes['registry.search']({ ...unused, caller: anonymous(), query: { q: 'greet', limit: 1 } }),
  ).rejects.toMatchObject({ code: 'unauthenticated' });
  await expect(
    routes['registry.show']({ ...unused, caller: anonymous(), params: { kind: 'agent', name: 'greeter' } }),
  ).rejects.toMatchObject({ code: 'unauthenticated' });
  expect(await findAgent(database.db, 'greeter', null)).toBeDefined();
});
