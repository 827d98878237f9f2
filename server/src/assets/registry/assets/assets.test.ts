// Every kind of asset in the real service: created, versioned, edited, published, transferred, deleted, with the permissions for each.
import { engineAt } from '../../../testing/pushes/asset-configs.ts';
import { configOnlyKinds, type ConfigOnlyKind } from '@gantry/contract/assets/asset-kinds.ts';
import { endpointUrl } from '@gantry/contract/client/client.ts';
import { endpoints } from '@gantry/contract/endpoints.ts';
import { Problem } from '@gantry/contract/problems.ts';
import { actions, type Action, type AssetKind } from '@gantry/contract/roles.ts';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { projectOf } from '../../../testing/pushes/project-archive.ts';
import { storeAgent } from '../../../testing/stored/stored-agent.ts';
import { testApp, type TestApp, type TestUser } from '../../../testing/test-app.ts';

let app: TestApp;
let ada: TestUser;
let bob: TestUser;
let max: TestUser;
let otto: TestUser;
let olga: TestUser;
let made = 0;
const fresh = (word: string) => `${word}-${++made}`;

beforeAll(async () => {
  app = await testApp({ config: { engine_host: 'unix:///nowhere/docker.sock' } });
  ada = await app.user('ada@example.com', { teams: { ml: 'contributor' } });
  bob = await app.user('bob@example.com', { teams: { ml: 'contributor' } });
  max = await app.user('max@example.com', { teams: { ml: 'admin', ops: 'contributor' } });
  otto = await app.user('otto@example.com', { teams: { ops: 'contributor' } });
  olga = await app.user('olga@example.com', { teams: { ops: 'admin' } });
  for (const [kind, name, config] of [
    ['model', 'embed', { provider: 'acme', model: 'embed', type: 'embedding' }],
    ['model', 'chat', { provider: 'acme', model: 'chat' }],
    ['knowledge-base', 'handbook', {}],
  ] as const)
    await ada.client.call('registry.create', { params: { kind }, body: { name, team: 'ml', config } });
  for (const [kind, name] of [
    ['model', 'embed'],
    ['model', 'chat'],
    ['knowledge-base', 'handbook'],
  ] as const)
    await grant(kind, name, otto.email, ['use']);
  await storeAgent(app, ada.email, { name: 'helper' });
  await grant('agent', 'helper', otto.email, ['use']);
});
afterAll(async () => await app?.stop());

type Config = Record<string, never>;

/** Two configs of each kind. */
const configs: Record<ConfigOnlyKind, readonly [object, object]> = {
  prompt: [
    { template: 'Be kind.' },
    { messages: [{ role: 'user', content: '{{question}}' }], variables: [{ name: 'question' }] },
  ],
  tool: [{}, { type: 'http', url: 'https://example.com/search', method: 'GET' }],
  'memory-config': [{}, { kind: 'summary', max_messages: 10, model: 'models/chat' }],
  'rag-index': [
    { embedding_model: 'models/embed', knowledge_bases: ['kb/handbook'] },
    { embedding_model: { ref: 'models/embed' }, knowledge_bases: ['kb/handbook'], top_k: 9 },
  ],
  'knowledge-base': [{}, { documents: [{ text: 'Words.', title: 'A page' }] }],
  model: [
    { provider: 'acme', model: 'one' },
    { provider: 'acme', model: 'one', max_output_tokens: 4096 },
  ],
  'mcp-server': [{ command: 'files' }, { transport: 'sse', url: 'https://mcp.example.com' }],
  orchestration: [
    { strategy: 'sequential', agents: { helper: { ref: 'agents/helper' } } },
    { strategy: 'parallel', agents: [{ name: 'helper', ref: 'agents/helper@1.0.0' }] },
  ],
  target: [engineAt('tcp://one.example.com:2376'), engineAt('tcp://two.example.com:2376')],
};

async function create(
  kind: ConfigOnlyKind,
  more: { name?: string; visibility?: 'private' | 'team' | 'org'; by?: TestUser; config?: object } = {},
): Promise<string> {
  const { by = ada, name = fresh(kind), visibility = 'org', config = configs[kind][0] } = more;
  const body = { name, team: 'ml', visibility, config: config as Config }; // JSON by the way it is written
  await by.client.call('registry.create', { params: { kind }, body });
  return name;
}

async function edit(kind: ConfigOnlyKind, name: string, version: string, config: object, by = ada) {
  const body = { version, config: config as Config }; // as above
  return await by.client.call('registry.edit', { params: { kind, name }, body });
}

async function show(kind: AssetKind, name: string, by = ada) {
  return await by.client.call('registry.show', { params: { kind, name } });
}

async function entries(kind: AssetKind, name: string): Promise<Record<string, string[]>> {
  const { permissions } = await show(kind, name, app.admin);
  return Object.fromEntries(permissions.map((entry) => [entry.principal, entry.actions]));
}

async function grant(kind: AssetKind, name: string, email: string, may: Action[]): Promise<void> {
  const principal = { principal_type: 'user', principal_id: email } as const;
  const body = { resource_type: kind, resource_id: name, ...principal, actions: may };
  await app.admin.client.call('permissions.grant', { body });
}

async function newest(asset: string, action: string) {
  return (await app.admin.client.call('audit.list', { query: { asset, action, limit: 1 } })).items[0];
}

async function refusal(work: Promise<unknown>): Promise<Problem> {
  const error = await work.then(
    () => 'nothing was refused',
    (thrown: unknown) => thrown,
  );
  if (!(error instanceof Problem)) throw new Error(String(error));
  return error;
}

// Only a platform admin changes a target (assets/targets/targets.test.ts).
describe.each(configOnlyKinds.filter((kind) => kind !== 'target'))('a %s', (kind) => {
  const [first, second] = configs[kind];

  test('is created, gets final versions, and each of them can be read', async () => {
    const name = await create(kind);
    const shown = await show(kind, name);
    expect(shown).toMatchObject({ kind, latest_version: '1.0.0', owner: ada.email, versions: [{ state: 'final' }] });
    const edited = await edit(kind, name, '1.1.0', second);
    expect(edited.versions.map(({ version }) => version)).toEqual(['1.1.0', '1.0.0']);
    const read = async (version: string) =>
      await otto.client.call('registry.show_version', { params: { kind, name, version } });
    expect(await read('1.0.0')).toMatchObject({ version: '1.0.0', config: shown.config, ref: `${shown.ref}@1.0.0` });
    expect((await read('1.1.0')).config).toEqual(edited.config);
    expect(await refusal(read('9.9.9'))).toMatchObject({ code: 'not_found' });
    expect(await refusal(edit(kind, name, '1.1.0', first))).toMatchObject({ code: 'version_final' });
    expect((await edit(kind, name, '1.1.0', second)).versions).toHaveLength(2);
    expect(await newest(shown.ref, 'asset.changed')).toMatchObject({ detail: { version: '1.1.0' } });
  });

  test('keeps its config when only its words change', async () => {
    const name = await create(kind);
    const body = { description: 'In other words', tags: ['new'] };
    const edited = await ada.client.call('registry.edit', { params: { kind, name }, body });
    expect(edited).toMatchObject({ ...body, latest_version: '1.0.0' });
    const found = await ada.client.call('registry.search', { query: { q: 'in other words', kind } });
    expect(found.items.map((item) => item.name)).toContain(name);
  });

  test('is found without words among all assets of its team, and not in another team', async () => {
    const name = await create(kind);
    const { team } = await show(kind, name, ada);
    const listed = async (of: string) =>
      (await ada.client.call('registry.search', { query: { team: of, limit: 200 } })).items.map((item) => item.name);
    expect(await listed(team)).toContain(name);
    expect(await listed('default')).not.toContain(name);
  });

  test('refuses an invalid config and one with a secret, with the place', async () => {
    const name = fresh(kind);
    const known = await refusal(create(kind, { name, config: { ...first, unknown_field: 1 } }));
    expect(known).toMatchObject({ code: 'invalid', errors: [{ pointer: '/config/unknown_field' }] });
    const secret = 'sk-proj-abcdefghijklmnop';
    const told = await refusal(create(kind, { name, config: { ...first, note: secret } }));
    expect(told.errors.map(({ pointer }) => pointer)).toContain('/config/note');
    expect(JSON.stringify(told)).not.toContain(secret);
    await create(kind, { name });
    expect(await refusal(edit(kind, name, '1.0.1', { ...first, unknown_field: 1 }))).toMatchObject({ code: 'invalid' });
  });

  test('is in the lists of other teams once published, and before is read by its name', async () => {
    const name = await create(kind);
    const listed = async (by: TestUser) => {
      const { items } = await by.client.call('registry.list', { params: { kind }, query: { limit: 200 } });
      const { items: found } = await by.client.call('registry.search', { query: { q: name, kind } });
      const names = [items, found].map((page) => page.some((item) => item.name === name));
      expect(names[0]).toBe(names[1]);
      return names[0];
    };
    expect([await listed(ada), await listed(otto)]).toEqual([true, false]);
    await show(kind, name, otto);
    const published = await ada.client.call('registry.publish', { params: { kind, name } });
    expect(published).toMatchObject({ published: true, visibility: 'org' });
    expect(await listed(otto)).toBe(true);
    expect(await newest(published.ref, 'asset.published')).toMatchObject({ detail: { after: { published: true } } });
    await ada.client.call('registry.publish', { params: { kind, name } });
    const { items } = await app.admin.client.call('audit.list', {
      query: { asset: published.ref, action: 'asset.published' },
    });
    expect(items).toHaveLength(1);
    await ada.client.call('registry.unpublish', { params: { kind, name } });
    expect(await listed(otto)).toBe(false);
    await show(kind, name, otto);
  });

  test('is transferred by its admin, who may create one in the other team', async () => {
    const name = await create(kind);
    const to = (by: TestUser, body: { team?: string; owner?: string }) =>
      by.client.call('registry.transfer', { params: { kind, name }, body });
    expect(await refusal(to(ada, { team: 'ops', owner: otto.email }))).toMatchObject({ code: 'not_found' });
    expect(await refusal(to(otto, { team: 'ops', owner: otto.email }))).toMatchObject({ code: 'forbidden' });
    expect(await refusal(to(max, { team: 'ops' }))).toMatchObject({ code: 'invalid', errors: [{ pointer: '/owner' }] });
    expect(await refusal(to(max, { owner: otto.email }))).toMatchObject({ code: 'invalid' });
    const moved = await to(max, { team: 'ops', owner: otto.email });
    expect(moved).toMatchObject({ team: 'ops', owner: otto.email, visibility: 'org' });
    expect(await entries(kind, name)).toEqual({
      'user:otto@example.com': ['read', 'use', 'write', 'publish', 'admin'],
      'team:ops': ['read', 'use'],
      org: ['read'],
    });
    expect(await newest(moved.ref, 'asset.transferred')).toMatchObject({
      actor: { name: max.email },
      detail: { before: { team: 'ml', owner: ada.email }, after: { team: 'ops', owner: otto.email } },
    });
    await edit(kind, name, '2.0.0', second, otto);
    expect(await refusal(edit(kind, name, '3.0.0', first))).toMatchObject({ code: 'forbidden' });
  });

  test('is deleted, its name stays with its team, and the next asset of that name inherits nothing', async () => {
    const name = await create(kind, { visibility: 'private' });
    await grant(kind, name, otto.email, ['read', 'use', 'write']);
    await ada.client.call('registry.publish', { params: { kind, name } });
    const { id, ref } = await show(kind, name, otto);
    expect(await refusal(bob.client.call('registry.delete', { params: { kind, name } }))).toMatchObject({
      code: 'not_found',
    });
    await ada.client.call('registry.delete', { params: { kind, name } });
    expect(await refusal(show(kind, name))).toMatchObject({ code: 'not_found' });
    expect(await newest(ref, 'asset.deleted')).toMatchObject({ actor: { name: ada.email }, detail: { name } });
    const elsewhere = { name, team: 'ops', config: configs[kind][0] as Config };
    const taken = otto.client.call('registry.create', { params: { kind }, body: elsewhere });
    expect(await refusal(taken)).toMatchObject({
      code: 'exists',
      detail: expect.stringContaining('Another team') as string,
    });
    await create(kind, { name, by: bob, visibility: 'private' });
    expect(await refusal(show(kind, name, otto))).toMatchObject({ code: 'not_found' });
    expect(await refusal(show(kind, name, ada))).toMatchObject({ code: 'not_found' });
    const anew = await show(kind, name, bob);
    expect(anew).toMatchObject({ published: false, versions: [{ version: '1.0.0' }], owner: bob.email });
    expect(anew.id).not.toBe(id);
    expect(Object.keys(await entries(kind, name))).toEqual(['user:bob@example.com']);
  });
});

describe('each operation needs one action:', () => {
  const params = async () => ({ kind: 'tool' as const, name: await create('tool') });
  type At = Awaited<ReturnType<typeof params>>;
  const operations: [needs: Action, what: string, (at: At) => Promise<unknown>][] = [
    ['write', 'edit', async (at) => await bob.client.call('registry.edit', { params: at, body: { description: 'x' } })],
    ['publish', 'publish', async (at) => await bob.client.call('registry.publish', { params: at })],
    ['publish', 'unpublish', async (at) => await bob.client.call('registry.unpublish', { params: at })],
    [
      'admin',
      'change the visibility',
      async (at) => await bob.client.call('registry.set_visibility', { params: at, body: { visibility: 'team' } }),
    ],
    [
      'admin',
      'transfer',
      async (at) => await bob.client.call('registry.transfer', { params: at, body: { owner: bob.email } }),
    ],
    ['admin', 'delete', async (at) => await bob.client.call('registry.delete', { params: at })],
  ];

  test.each(operations)('%s alone lets a contributor of the team %s', async (needs, _, work) => {
    const at = await params();
    await show('tool', at.name, bob);
    const others = actions.filter((action) => action !== needs);
    await grant('tool', at.name, bob.email, others);
    expect(await refusal(work(at))).toMatchObject({ code: 'forbidden' });
    const open = await params();
    await grant('tool', open.name, bob.email, [needs]);
    await work(open);
  });
});

describe('visibility', () => {
  const set = async (name: string, visibility: 'private' | 'team' | 'org', by = ada) =>
    await by.client.call('registry.set_visibility', { params: { kind: 'tool', name }, body: { visibility } });

  test('replaces the entries of the organisation and of the team, and keeps all others', async () => {
    const name = await create('tool');
    await grant('tool', name, otto.email, ['read']);
    expect(await set(name, 'private')).toMatchObject({ visibility: 'private' });
    expect(Object.keys(await entries('tool', name)).toSorted()).toEqual([
      'user:ada@example.com',
      'user:otto@example.com',
    ]);
    expect(await refusal(show('tool', name, olga))).toMatchObject({ code: 'not_found' });
    await show('tool', name, otto);
    await set(name, 'team');
    expect(await entries('tool', name)).toMatchObject({ 'team:ml': ['read', 'use'] });
    await set(name, 'org');
    expect(await entries('tool', name)).toMatchObject({ 'team:ml': ['read', 'use'], org: ['read'] });
    expect(await newest(`tools/${name}`, 'permission.changed')).toMatchObject({
      detail: {
        visibility: { before: 'team', after: 'org' },
        entries: [{ principal: 'org', before: [], after: ['read'] }],
      },
    });
  });

  test('works for an agent, too', async () => {
    const { name } = await storeAgent(app, ada.email, { name: fresh('agent') });
    const params = { kind: 'agent', name } as const;
    await ada.client.call('registry.set_visibility', { params, body: { visibility: 'team' } });
    expect(await refusal(show('agent', name, otto))).toMatchObject({ code: 'not_found' });
    await show('agent', name, bob);
  });

  test('is not narrowed when nobody could change it any more', async () => {
    const name = await create('tool');
    const team = { resource_type: 'tool', resource_id: name, principal_type: 'team', principal_id: 'ml' } as const;
    await ada.client.call('permissions.grant', { body: { ...team, actions: ['admin'] } });
    const { items } = await ada.client.call('permissions.list', {
      query: { resource_type: 'tool', resource_id: name },
    });
    const own = items.find(({ principal_type }) => principal_type === 'user');
    await ada.client.call('permissions.revoke', { params: { id: own?.id ?? '' }, query: { actions: 'admin' } });
    const before = await entries('tool', name);
    expect(await refusal(set(name, 'private'))).toMatchObject({ code: 'last_admin' });
    expect(await entries('tool', name)).toEqual(before);
    expect(await set(name, 'team')).toMatchObject({ visibility: 'team' });
  });
});

describe('a transfer', () => {
  test('moves the entries of team and owner, and keeps manual grants', async () => {
    const name = await create('tool');
    const team = { resource_type: 'tool', resource_id: name, principal_type: 'team', principal_id: 'ml' } as const;
    await ada.client.call('permissions.grant', { body: { ...team, actions: ['write'] } });
    await grant('tool', name, bob.email, ['use', 'write']);
    await grant('tool', name, otto.email, ['use']);
    await max.client.call('registry.transfer', {
      params: { kind: 'tool', name },
      body: { team: 'ops', owner: otto.email },
    });
    expect(await entries('tool', name)).toEqual({
      'user:otto@example.com': ['read', 'use', 'write', 'publish', 'admin'],
      'user:bob@example.com': ['use', 'write'],
      'team:ml': ['write'],
      'team:ops': ['read', 'use'],
      org: ['read'],
    });
  });

  test('of a private asset keeps it private, and hides it from its former owner', async () => {
    const name = await create('tool', { visibility: 'private' });
    const params = { kind: 'tool', name } as const;
    const moved = await ada.client.call('registry.transfer', { params, body: { owner: bob.email } });
    expect(moved).toMatchObject({ owner: bob.email, visibility: 'private' });
    expect(await refusal(show('tool', name, ada))).toMatchObject({ code: 'not_found' });
    expect(Object.keys(await entries('tool', name))).toEqual(['user:bob@example.com']);
  });

  test('of an agent closes its pending request, keeps its address, and its agent.yaml must agree', async () => {
    const agent = await storeAgent(app, ada.email, { name: fresh('agent') });
    const { id } = await ada.client.call('approvals.submit', { body: { asset: agent.ref } });
    const params = { kind: 'agent', name: agent.name } as const;
    await max.client.call('registry.transfer', { params, body: { team: 'ops', owner: otto.email } });
    expect(await app.admin.client.call('approvals.show', { params: { id } })).toMatchObject({
      status: 'rejected',
      closed_reason: 'superseded',
    });
    expect((await show('agent', agent.name, otto)).id).toBe(agent.asset_id);
    const push = async (team: string, owner: string) =>
      await otto.client.call('agents.push', {
        params: { name: agent.name },
        body: projectOf({ name: agent.name, team, version: '1.0.1', yaml: `owner: ${owner}\n` }),
      });
    expect(await refusal(push('ops', ada.email))).toMatchObject({
      code: 'owner_mismatch',
      hint: expect.stringContaining(`svc registry agent transfer ${agent.name} --owner ${ada.email}`),
    });
    expect(await push('ops', otto.email)).toMatchObject({ state: expect.stringMatching(/queued|running/) });
    expect(await refusal(app.admin.client.call('deployments.create', { body: { ref: agent.ref } }))).toMatchObject({
      code: 'rbac_failed',
    });
  });

  test('to the present team and owner changes nothing; of two at once one is done or both in turn', async () => {
    const name = await create('tool');
    const params = { kind: 'tool', name } as const;
    await ada.client.call('registry.transfer', { params, body: { owner: ada.email, team: 'ml' } });
    expect(await newest(`tools/${name}`, 'asset.transferred')).toBeUndefined();
    const tried = await Promise.allSettled(
      [bob.email, max.email, bob.email, max.email].map(
        async (owner) => await app.admin.client.call('registry.transfer', { params, body: { owner } }),
      ),
    );
    for (const one of tried) if (one.status === 'rejected') expect(one.reason).toMatchObject({ code: 'conflict' });
    const { owner } = await show('tool', name, app.admin);
    const held = Object.entries(await entries('tool', name)).filter(([, may]) => may.includes('admin'));
    expect(held.map(([who]) => who)).toEqual([`user:${owner}`]);
  });
});

describe('references of a config', () => {
  test('are pinned, shown with the version, and protect their assets', async () => {
    const base = await create('knowledge-base');
    const config = { embedding_model: 'models/embed', knowledge_bases: [`kb/${base}`] };
    const index = await create('rag-index', { config });
    const version = await ada.client.call('registry.show_version', {
      params: { kind: 'rag-index', name: index, version: '1.0.0' },
    });
    expect(version.references.map(({ ref }) => ref)).toEqual([`knowledge-bases/${base}`, 'models/embed']);
    const remove = async (kind: ConfigOnlyKind, name: string) =>
      await ada.client.call('registry.delete', { params: { kind, name } });
    expect(await refusal(remove('knowledge-base', base))).toMatchObject({
      code: 'in_use',
      detail: expect.stringContaining(`rag-indexes/${index}`),
    });
    await remove('rag-index', index);
    await remove('knowledge-base', base);
  });

  test('are all refused with their places when they are missing, unreadable or of another type', async () => {
    const hidden = await create('knowledge-base', { visibility: 'private', by: bob });
    const config = { embedding_model: 'models/chat', knowledge_bases: [`kb/${hidden}`, 'kb/nothing-at-all'] };
    expect(await refusal(create('rag-index', { config }))).toMatchObject({
      code: 'reference_missing',
      errors: [
        { pointer: '/config/embedding_model', message: 'models/chat has type chat, but embedding is needed' },
        { pointer: '/config/knowledge_bases/0', message: `There is no knowledge-bases/${hidden} that you may read` },
        {
          pointer: '/config/knowledge_bases/1',
          message: 'There is no knowledge-bases/nothing-at-all that you may read',
        },
      ],
    });
  });

  test('and a deletion of their asset at the same moment are never both done', async () => {
    for (let round = 0; round < 12; round++) {
      const base = await create('knowledge-base');
      const config = { embedding_model: 'models/embed', knowledge_bases: [`kb/${base}`] };
      const tried = await Promise.allSettled([
        create('rag-index', { config }),
        ada.client.call('registry.delete', { params: { kind: 'knowledge-base', name: base } }),
      ]);
      expect(tried.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected']);
      for (const one of tried)
        if (one.status === 'rejected') expect(['in_use', 'reference_missing']).toContain((one.reason as Problem).code); // the exception of the client
    }
  });

  const names = [
    '../models/chat',
    'handbook\0',
    'hаndbook',
    'handbook.',
    'handbook ',
    'Handbook',
    '%68andbook',
    '/handbook',
  ];
  test.each([...names.map((name) => `kb/${name}`), 'Kb/handbook', 'kb%2fhandbook', 'kb handbook'])(
    'with another spelling, %j, are refused',
    async (trick) => {
      const config = { embedding_model: 'models/embed', knowledge_bases: [trick] };
      const { status, errors } = await refusal(create('rag-index', { config }));
      expect(status).toBe(422);
      expect(errors.map(({ pointer }) => pointer)).toContain('/config/knowledge_bases/0');
      const submitted = await refusal(ada.client.call('approvals.submit', { body: { asset: trick } }));
      expect(submitted.code).toBe(trick.includes('\0') ? 'invalid' : 'bad_reference');
    },
  );

  test.each(names.filter((name) => !name.includes('\0')))(
    'do not match another name, %j, in a decision',
    async (name) => {
      const asked = { resource_type: 'knowledge-base', action: 'read' } as const;
      const check = async (resource_id: string) =>
        (await ada.client.call('permissions.check', { query: { ...asked, resource_id } })).allowed;
      expect([await check('handbook'), await check(name)]).toEqual([true, false]);
      const { status } = await refusal(show('knowledge-base', name));
      expect([400, 404]).toContain(status);
    },
  );
});

test.each(['registry.create', 'registry.edit', 'registry.set_visibility', 'registry.transfer'] as const)(
  '%s refuses members outside its schema, and none reaches a prototype',
  async (operation) => {
    const name = await create('tool');
    const bodies = {
      'registry.create': { name: fresh('tool'), team: 'ml' },
      'registry.edit': { description: 'x' },
      'registry.set_visibility': { visibility: 'org' },
      'registry.transfer': { owner: ada.email },
    };
    const send = async (body: string) => {
      const url = endpointUrl(app.url, endpoints[operation], { kind: 'tool', name }, {});
      const headers = { authorization: `Bearer ${ada.token}`, 'content-type': 'application/json' };
      const response = await fetch(url, { method: endpoints[operation].method, headers, body });
      return response.status;
    };
    const own = JSON.stringify(bodies[operation]);
    for (const more of ['"id":"x"', '"owner_id":"x"', '"published":true', '"kind":"agent"', '"serving_version_id":"x"'])
      expect([more, await send(own.replace('{', `{${more},`))]).toEqual([more, 422]);
    for (const more of ['"__proto__":{"polluted":1}', '"constructor":{"prototype":{"polluted":1}}'])
      expect([200, 201, 422]).toContain(await send(own.replace('{', `{${more},`)));
    expect(({} as Record<string, unknown>)['polluted']).toBeUndefined();
    expect(await send(own)).toBeLessThan(300);
  },
);
