// A hidden asset is in no list, with any filter. No cursor and no other spelling of its name reveals it.
import { engineAt } from '../../testing/pushes/asset-configs.ts';
import { randomUUID } from 'node:crypto';
import { request } from 'node:http';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { endpointUrl } from '@gantry/contract/client/client.ts';
import type { Endpoint } from '@gantry/contract/endpoint.ts';
import { langgraphUnansweredEndpoints } from '@gantry/contract/agents/langgraph/unanswered.ts';
import { endpoints, type EndpointName } from '@gantry/contract/endpoints.ts';
import { sql } from '../../ground/database/sql.ts';
import { serveAgent, storeAgent } from '../../testing/stored/stored-agent.ts';
import { orchestrationRunOf, storeOrchestration } from '../../testing/stored/stored-orchestrations.ts';
import { storeSnapshot } from '../../testing/stored/stored-snapshot.ts';
import { storeShare, storeThread } from '../../testing/stored/stored-thread.ts';
import { storeCall } from '../../testing/stored/stored-call.ts';
import { storeQuestion } from '../../testing/stored/stored-question.ts';
import { makeSpan, storeSpans } from '../../testing/stored/make-span.ts';
import { deaf_host, makeWebhook } from '../../testing/stored/make-webhook.ts';
import { testApp, type TestApp, type TestUser } from '../../testing/test-app.ts';

/** This marker is only in the names and texts of team ml's private objects. */
const marker = 'zanzibar';
const nowhere = 'nirvana';
const agent = `${marker}-agent`;

const run_id = randomUUID();
let app: TestApp;
let max: TestUser;
let ada: TestUser;
let olga: TestUser;
let olgas_machine: string;
/** Prefixes of ids of team ml's objects, by their names in the table below. */
let beginnings: Filters;

beforeAll(async () => {
  app = await testApp({ config: { engine_host: 'unix:///nowhere/docker.sock', outbound_private_hosts: [deaf_host] } });
  max = await app.user(`${marker}-admin@example.com`, { teams: { ml: 'admin' } });
  ada = await app.user(`${marker}@example.com`, { teams: { ml: 'contributor' } });
  olga = await app.user('olga@example.com', { teams: { ops: 'admin' } });
  olgas_machine = await machineOf(olga);
  await everythingOf('ml', marker, ada, max);
  for (let n = 0; n < 2; n++) {
    await makeWebhook(app, `webhook-${n}`);
    await app.admin.client.call('webhooks.test', { params: { name: 'webhook-0' } });
  }
  const { id: asset_id } = await ada.client.call('registry.show', { params: { kind: 'agent', name: agent } });
  for (const { email } of [max, app.admin])
    for (const name of [`${marker}-thread`, `${marker}-other`]) {
      const thread_id = await storeThread(app, { asset_id }, email, { name, states: 2, waits: true });
      for (const reader of email === max.email ? [ada, app.admin] : [max])
        await storeShare(app, { thread_id, reader: reader.email });
    }
  await app.db.run(sql`update thread_state set run_id = ${run_id}`);
  for (const name of [`${marker}-gone`, `${marker}-left`]) {
    const user = await app.admin.client.call('users.create', { body: { email: `${name}@example.com` } });
    await app.admin.client.call('users.remove', { params: { id: user.id } });
  }
  const [request] = (await max.client.call('approvals.list', {})).items;
  const [deploy] = (await max.client.call('deployments.list', {})).items;
  const [key] = (await max.client.call('keys.list', { query: { scope: 'team' } })).items;
  const [entry] = (await max.client.call('audit.list', { query: { action: 'approval' } })).items;
  // Deliveries follow the audit log asynchronously.
  const delivery = await vi.waitFor(async () => {
    const [first] = (await app.admin.client.call('webhooks.deliveries', { params: { name: 'webhook-0' } })).items;
    expect(first).toBeDefined();
    return first;
  }, 20_000);
  beginnings = {
    '<request>': begin(request),
    '<deploy>': begin(deploy),
    '<run>': run_id,
    '<delivery>': begin(delivery),
    '<key>': key?.prefix ?? '',
    '<entry>': `${entry?.chain}/${entry?.seq}`,
  };
}, 60_000);
const begin = (one: { id: string } | undefined): string => one?.id.slice(0, 13) ?? 'nothing is there';
afterAll(async () => await app?.stop());

/** Two of each, visible only to the team. */
async function everythingOf(team: string, word: string, by: TestUser, boss: TestUser): Promise<void> {
  const yaml = `description: about ${word}\naccess: {visibility: team}\n`;
  const forBoss = { right: 'read_costs', principal: `user:${boss.email}`, team: null } as const;
  await app.admin.client.call('grants.create', { body: forBoss });
  for (const right of ['read_costs', 'read_audit'] as const)
    await boss.client.call('grants.create', { body: { right, principal: `user:${by.email}`, team } });
  for (const name of [`${word}-agent`, `${word}-other`]) {
    const stored = await storeAgent(app, by.email, { name, team, yaml });
    await app.db.run(sql`
      insert into agent_event (agent_id, target, kind, detail)
      select id, 'local', 'woke', ${word} from asset, generate_series(1, 2) where kind = 'agent' and name = ${name}`);
    const body = { name: `${name}-tool`, team, description: word, visibility: 'team' } as const;
    await by.client.call('registry.create', { params: { kind: 'tool' }, body });
    const model = {
      name,
      team,
      description: word,
      visibility: 'team',
      config: { provider: 'acme', model: word },
    } as const;
    await by.client.call('registry.create', { params: { kind: 'model' }, body: model });
    const server = {
      name,
      team,
      description: word,
      visibility: 'team',
      config: { transport: 'streamable-http', url: `http://${word}/mcp` },
    } as const;
    await by.client.call('registry.create', { params: { kind: 'mcp-server' }, body: server });
    const base = {
      name,
      team,
      description: word,
      config: { documents: [{ title: word, text: word }], uploads: true },
    };
    await by.client.call('registry.create', {
      params: { kind: 'knowledge-base' },
      body: { ...base, visibility: 'team' },
    });
    await storeSnapshot(app, { base: name, text: word });
    await app.governed(sql`
      insert into knowledge_upload (base_id, path, sha256, bytes) select b.base_id, ${word}, b.sha256, 1
      from knowledge_blob b join asset a on a.id = b.base_id where a.name = ${name} returning id`);
    const prompt = { name, team, description: word, visibility: 'team', config: { template: word } } as const;
    await by.client.call('registry.create', { params: { kind: 'prompt' }, body: prompt });
    await boss.client.call('prompts.move_label', { params: { name, label: 'production' }, body: { version: '1.0.0' } });
    await by.client.call('prompts.add_example', {
      params: { name },
      body: { name: 'first', variables: { who: word }, expected: word },
    });
    await storeCall(app, { agent: name, server: name, word });
    for (const email of [max.email, app.admin.email])
      await storeQuestion(app, { email, agent: name, server: name, word });
    const target = {
      name,
      team,
      description: word,
      visibility: 'team',
      config: engineAt(`tcp://${word}:2376`),
    } as const;
    await app.admin.client.call('registry.create', { params: { kind: 'target' }, body: target });
    const { id } = await by.client.call('approvals.submit', { body: { asset: `agents/${name}`, message: word } });
    await boss.client.call('approvals.approve', { params: { id }, body: { reason: word } });
    await serveAgent(app, stored, 'http://127.0.0.1:1');
    if (name !== agent)
      await app.governed(sql`update route set desired = 'stopped' where agent_id = ${stored.asset_id} returning id`);
    const calls = [run_id, randomUUID()].map((run) => makeSpan({ agent_id: stored.asset_id, name: word, run_id: run }));
    await storeSpans(app.db, calls);
    await boss.client.call('deployments.create', { body: { ref: stored.ref, force: true } });
    await storeOrchestration(by, { name, team, agent: name });
    for (let n = 0; n < 2; n++) await orchestrationRunOf(app, name, by.email, 'done');
    await boss.client.call('groups.create', { body: { name: `${name}-group`, team } });
    await boss.client.call('principals.create', { body: { name: `${name}-machine`, team } });
    const secret = { name: `${name}-secret`.replaceAll('-', '_'), value: word };
    await boss.client.call('secrets.set', { body: { ...secret, team } });
    await by.client.call('secrets.set', { body: { ...secret, agent: name } });
    await boss.client.call('keys.create', { body: { scope: 'team', scope_id: team, alias: `${name}-key` } });
  }
}

async function machineOf(boss: TestUser): Promise<string> {
  const body = { name: 'machine', team: 'ops', role: 'admin', allowed_assets: ['*/*'] as string[] } as const;
  const { key = '' } = await boss.client.call('principals.create', { body });
  return (await app.anonymous.call('auth.exchange_key', { body: { key } })).access_token;
}

// By hand: every list with every filter, set to find the marked objects. `{}` is the list without filters.
type Filters = Record<string, string>;
const lists: Partial<Record<EndpointName, { params?: Filters; filters: Filters[] }[]>> = {
  'teams.list': [{ filters: [{}] }],
  'users.list': [
    { filters: [{}, { email: `${marker}@example.com` }, { text: marker }, { role: 'viewer' }, { removed: 'true' }] },
  ],
  'groups.list': [{ filters: [{}, { team: 'ml' }, { name: `${marker}-agent-group` }] }],
  'principals.list': [{ filters: [{}, { team: 'ml' }, { name: `${marker}-agent-machine` }] }],
  'keys.list': [{ filters: [{}, { scope: 'team' }, { team: 'ml' }, { key: '<key>' }, { all: 'true' }] }],
  'registry.search': [
    { filters: [{ q: marker }, { q: marker, kind: 'agent' }, { q: agent }, { q: `${marker} agent tool` }] },
    { filters: [{}, { kind: 'agent' }, { team: 'ml' }, { q: marker, team: 'ml' }] },
  ],
  'registry.list': [
    { params: { kind: 'agent' }, filters: [{}, { team: 'ml' }] },
    { params: { kind: 'tool' }, filters: [{}, { team: 'ml' }] },
  ],
  'models.list': [{ filters: [{}, { team: 'ml' }] }],
  'permissions.list': [
    {
      filters: [
        {},
        { resource_type: 'agent' },
        { resource_type: 'agent', resource_id: agent },
        { principal_type: 'team' },
        { principal_type: 'team', principal_id: 'ml' },
        { principal_type: 'user', principal_id: `${marker}@example.com` },
        { resource_type: 'agent', resource_id: agent, principal_type: 'team', principal_id: 'ml' },
      ],
    },
  ],
  'grants.list': [
    { filters: [{}, { right: 'read_costs' }, { team: 'ml' }, { principal: `user:${marker}@example.com` }] },
    { filters: [{ scope: 'org' }] },
  ],
  'approvals.list': [
    { filters: [{}, { status: 'approved' }, { status: 'decided' }, { asset: `agents/${agent}` }, { id: '<request>' }] },
  ],
  'secrets.list': [{ filters: [{}, { team: 'ml' }, { agent }, { name: `${marker}_agent_secret` }] }],
  'deployments.list': [{ filters: [{}, { agent }, { id: '<deploy>' }] }],
  'orchestrate.runs': [{ params: { name: agent }, filters: [{}, { state: 'done' }, { version: '1.0.0' }] }],
  'agents.events': [{ params: { name: agent }, filters: [{}] }],
  'prompts.examples': [{ params: { name: agent }, filters: [{}] }],
  'prompts.label_moves': [{ params: { name: agent }, filters: [{}, { label: 'production' }] }],
  'tool_calls.waiting': [{ filters: [{}] }],
  'tool_questions.waiting': [{ filters: [{}] }],
  'inbox.list': [{ filters: [{}, { own: 'true' }] }],
  'knowledge.snapshots': [{ params: { name: agent }, filters: [{}] }],
  'knowledge.uploads': [{ params: { name: agent }, filters: [{}] }],
  'threads.all': [{ params: { name: agent }, filters: [{}] }],
  'threads.list': [{ params: { name: agent }, filters: [{}, { state: 'waiting' }, { titles: 'true' }] }],
  'threads.history': [{ params: { name: agent, thread: `${marker}-thread` }, filters: [{}, { run_id: '<run>' }] }],
  'threads.shares': [{ params: { name: agent, thread: `${marker}-thread` }, filters: [{}] }],
  'threads.shared': [{ params: { name: agent }, filters: [{}] }],
  'traces.runs': [{ params: { name: agent }, filters: [{}] }],
  'traces.list': [
    {
      filters: [
        {},
        { agent },
        { run: '<run>' },
        { since: '2020-01-01T00:00:00Z' },
        { status: 'ok' },
        { min_duration_ms: '1000' },
      ],
    },
  ],
  'agents.statuses': [
    { filters: [{}, { team: 'ml' }, { text: marker }, { state: 'stopped' }, { team: 'ml', text: agent }] },
  ],
  'notifications.list': [{ filters: [{}, { unread: 'true' }] }],
  'audit.list': [
    {
      filters: [
        {},
        { asset: `agents/${agent}` },
        { user: `${marker}@example.com` },
        { action: 'approval' },
        { outcome: 'done' },
        { since: '2020-01-01T00:00:00Z' },
        { until: '2100-01-01T00:00:00Z' },
        { entry: '<entry>' },
        { asset: `agents/${agent}`, user: `${marker}@example.com`, action: 'approval', outcome: 'done' },
      ],
    },
  ],
  'webhooks.list': [{ filters: [{}] }],
  'webhooks.deliveries': [{ params: { name: 'webhook-0' }, filters: [{}, { state: 'queued' }, { id: '<delivery>' }] }],
};
const asked = Object.entries(lists).flatMap(([name, each]) =>
  each.flatMap(({ params = {}, filters }) =>
    filters.map((filter) => ({ name: name as EndpointName, params, filter, shown: JSON.stringify(filter) })),
  ),
);
const of_operators = ['users.list', 'webhooks.list', 'webhooks.deliveries'];

interface Answered {
  status: number;
  text: string;
  body: { data?: unknown[]; meta?: { next_cursor?: string }; code?: string };
}

async function ask(token: string, name: EndpointName, params: Filters, filters: Filters): Promise<Answered> {
  const query = Object.fromEntries(Object.entries(filters).map(([key, value]) => [key, beginnings[value] ?? value]));
  const response = await fetch(endpointUrl(app.url, endpoints[name], params, query), {
    headers: { authorization: `Bearer ${token}` },
  });
  const text = (await response.text()).replaceAll(/"request_id":"[^"]+"/g, '"request_id":""');
  return { status: response.status, text, body: JSON.parse(text || '{}') as Answered['body'] };
}

/** The same filters about missing objects. */
const elsewhere = (filters: Filters): Filters =>
  Object.fromEntries(
    Object.entries(filters).map(([key, value]) => [key, value === 'ml' ? nowhere : value.replaceAll(marker, nowhere)]),
  );

test('the table above has every list of the contract with every filter', () => {
  const described = Object.entries<Endpoint>(endpoints).filter(([, { reply }]) => reply.kind === 'list');
  const filtersOf = (name: string) =>
    new Set(asked.filter((one) => one.name === name).flatMap(({ filter }) => Object.keys(filter)));
  expect(Object.keys(lists).toSorted()).toEqual(described.map(([name]) => name).toSorted());
  for (const [name, { query }] of described) {
    // A total counts what a list has (narrowing.test.ts).
    const taken = Object.keys(query?.shape ?? {}).filter((key) => !['limit', 'cursor', 'total'].includes(key));
    expect([name, [...filtersOf(name)].toSorted()]).toEqual([name, taken.toSorted()]);
  }
});

describe("another team's things are in no list, and a filter by them gets the same answer as a filter by missing things:", () => {
  test.each(asked)('$name $shown', async ({ name, params, filter }) => {
    const reader = of_operators.includes(name) ? app.admin : max;
    const theirs = await ask(reader.token, name, params, { ...filter, limit: '200' });
    expect(theirs.status).toBe(200);
    expect(theirs.body.data).not.toEqual([]);
    for (const token of [olga.token, olgas_machine]) {
      const answered = await ask(token, name, params, { ...filter, limit: '200' });
      expect(answered.text).not.toContain(marker);
      const unknown = await ask(token, name, params, { ...elsewhere(filter), limit: '200' });
      const about = Object.values(filter).some((value) => value === 'ml' || value.includes(marker));
      expect(answered.status).toBe(unknown.status);
      if (about) expect(answered.text).toBe(unknown.text.replaceAll(nowhere, marker));
    }
  });
});

describe('a cursor works only for its own list, filters and caller:', () => {
  test.each(asked)('$name $shown', async ({ name, params, filter }) => {
    const first = name === 'notifications.list' ? max : app.admin;
    const page = await ask(first.token, name, params, { ...filter, limit: '1' });
    const cursor = page.body.meta?.next_cursor;
    // A filter for one object has one page.
    if (cursor === undefined) {
      expect(page.body.data?.length).toBe(1);
      return;
    }
    expect((await ask(first.token, name, params, { ...filter, limit: '1', cursor })).status).toBe(200);
    const refusal = of_operators.includes(name) ? 403 : params['name'] === agent ? 404 : 400;
    expect((await ask(olga.token, name, params, { ...filter, cursor })).status).toBe(refusal);
    const others = asked.filter((one) => one.name !== name || one.shown !== JSON.stringify(filter));
    for (const other of others.filter((one) => one.name === name || one.name === 'teams.list')) {
      const { status, body } = await ask(first.token, other.name, other.params, { ...other.filter, cursor });
      expect([other.shown, status, body.code]).toEqual([other.shown, 400, 'bad_cursor']);
    }
    const flipped = Buffer.from(cursor, 'base64url');
    flipped[flipped.length - 2] = (flipped.at(-2) ?? 0) ^ 1;
    for (const forged of [flipped.toString('base64url'), `${cursor}AAAA`, cursor.slice(4), 'A'.repeat(4000)]) {
      const { status } = await ask(first.token, name, params, { ...filter, cursor: forged });
      expect([400, 422]).toContain(status);
    }
    for (const limit of ['1000000000', '201', '0', '-1'])
      expect([limit, (await ask(first.token, name, params, { ...filter, limit })).status]).toEqual([limit, 422]);
  });
});

// Some parser, file system, database or reader confuses each of them with the name.
const spellings = [
  '../prompts/NAME',
  'prompts/../NAME',
  './NAME',
  'NAME/',
  '/NAME',
  'NAME.',
  'NAME ',
  ' NAME',
  'NAME\0',
  'NAME\n',
  'NAME%00',
  'NAME%2f',
  'NAME;x',
  'NAME?x',
  'NAME#x',
  'NAME\\',
  'NAME\u200b',
  'NAME\u00ad',
];
const odd = (name: string): string[] => [
  ...spellings.map((one) => one.replace('NAME', name)),
  name.toUpperCase(),
  name.replace('a', 'A'),
  name.replace('a', '\u0430'), // Cyrillic
  name.replace('a', '\uff41'), // full width
  name.replace('-', '\u2010'),
  name.replace('a', '%61'),
];

describe('an asset has one name for every reader: no other spelling reaches it through', () => {
  // The places of references in bodies and queries. The correct spelling is the control.
  const places: [EndpointName, (name: string) => { query?: Filters; body?: object }][] = [
    ['approvals.submit', (name) => ({ body: { asset: `agents/${name}`, message: 'again' } })],
    ['approvals.list', (name) => ({ query: { asset: `agents/${name}` } })],
    ['audit.list', (name) => ({ query: { asset: `agents/${name}` } })],
    ['deployments.plan', (name) => ({ body: { ref: `agents/${name}@1.0.0` } })],
    ['deployments.create', (name) => ({ body: { ref: `agents/${name}@1.0.0`, force: true } })],
    ['deployments.list', (name) => ({ query: { agent: name } })],
    ['permissions.check', (name) => ({ query: { resource_type: 'agent', resource_id: name, action: 'read' } })],
    ['permissions.explain', (name) => ({ query: { resource_type: 'agent', resource_id: name, action: 'read' } })],
    ['permissions.list', (name) => ({ query: { resource_type: 'agent', resource_id: name } })],
    [
      'permissions.grant',
      (name) => ({
        body: {
          resource_type: 'agent',
          resource_id: name,
          principal_type: 'team',
          principal_id: 'ops',
          actions: ['admin'],
        },
      }),
    ],
  ];
  const send = async (name: EndpointName, { query = {}, body }: { query?: Filters; body?: object }) => {
    const endpoint: Endpoint = endpoints[name];
    const response = await fetch(endpointUrl(app.url, endpoint, {}, query), {
      method: endpoint.method,
      headers: { authorization: `Bearer ${app.admin.token}`, 'content-type': 'application/json' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const said = (await response.json()) as { data?: unknown[]; allowed?: boolean };
    const isEmpty = said.allowed === false || (Array.isArray(said.data) && said.data.length === 0);
    // A conflict proves that the asset exists: it is already approved, or a deploy is running.
    return (response.ok && !isEmpty) || response.status === 409
      ? 'found'
      : response.status < 500
        ? 'nothing'
        : response.status;
  };

  test.each(places)('%s', async (name, sent) => {
    const answers = [];
    for (const spelling of odd(agent)) answers.push([spelling, await send(name, sent(spelling))]);
    expect(answers).toEqual(odd(agent).map((spelling) => [spelling, 'nothing']));
    for (const kind of ['Agents', 'agent', 'agents/', 'agents ', 'AGENTS', 'prompts/../agents'])
      expect([kind, await send(name, JSON.parse(JSON.stringify(sent(agent)).replace('agents/', `${kind}/`)) as object)])
        // A path without a kind is unchanged.
        .toEqual([kind, JSON.stringify(sent(agent)).includes('agents/') ? 'nothing' : 'found']);
    expect(await send(name, sent(agent))).toBe('found');
  });

  const paths: [EndpointName, Filters][] = Object.entries<Endpoint>(endpoints)
    .filter(([, { method, path }]) => method === 'GET' && path.includes('{name}') && !path.includes('webhooks'))
    .map(([name, { path }]) => [
      name as EndpointName,
      Object.fromEntries(
        [...path.matchAll(/\{(\w+)\}/g)].map(([, key = '']) => [
          key,
          { name: agent, kind: 'agent', version: '1.0.0', number: '1', namespace: '1.0.0.127.agents' }[key] ??
            '00000000-0000-4000-8000-000000000000',
        ]),
      ),
    ]);

  const needed: Partial<Record<EndpointName, string>> = {
    'registry.difference': '?from=1.0.0&to=1.0.0',
    'registry.show_file': '?path=agent.yaml',
    'langgraph.item': '?namespace=notes&key=one',
  };

  test.each(paths)('the path of %s', async (name, params) => {
    const endpoint: Endpoint = endpoints[name];
    const query = needed[name] ?? '';
    for (const spelling of odd(agent)) {
      const written = endpoint.path
        .replaceAll(/\{(\w+)\}/g, (_, key: string) => (key === 'name' ? 'NAME' : (params[key] ?? '')))
        .replace('NAME', encodeURI(spelling).replaceAll('?', '%3f').replaceAll('#', '%23'));
      const status = await rawGet(written + query);
      expect([spelling, [400, 404].includes(status)]).toEqual([spelling, true]);
    }
    const here = await rawGet(endpointUrl(app.url, endpoint, params, {}).pathname + query);
    const isAnswered = !(name in langgraphUnansweredEndpoints);
    const isOfNothing = isAnswered && name.startsWith('langgraph.') && /\{(thread|assistant)\}/.test(endpoint.path);
    if (name.startsWith('langgraph.') && !isOfNothing) expect([200, 501, 503]).toContain(here);
    else if (
      isOfNothing ||
      [
        'invoke.run',
        'threads.show',
        'threads.history',
        'threads.shares',
        'threads.look_shared',
        'orchestrate.run',
        'knowledge.text',
        'a2a.task',
        'a2a.watch',
        'orchestrate_a2a.task',
        'orchestrate_a2a.watch',
      ].includes(name)
    )
      expect(here).toBe(404);
    // Its orchestration is not deployed; nobody reads the threads of others; an engine has no policy.
    else if (['orchestrate.input', 'orchestrate_a2a.card', 'threads.look', 'targets.policy'].includes(name))
      expect(here).toBe(409);
    else expect([200, 503]).toContain(here); // 503: the agent exists, but its container is missing
  });

  // fetch would normalize the path before sending.
  async function rawGet(path: string): Promise<number> {
    const { hostname, port } = new URL(app.url);
    return await new Promise((resolve, reject) => {
      const headers = { authorization: `Bearer ${app.admin.token}`, 'a2a-version': '1.0' };
      const sent = request({ hostname, port, path, headers, agent: false }, (answered) => {
        answered.destroy();
        resolve(answered.statusCode ?? 0);
      });
      sent.on('error', reject);
      sent.end();
    });
  }
});
