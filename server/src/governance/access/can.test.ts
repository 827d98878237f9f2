// `can` of a shown thing, compared with the endpoints' answers: each action of each thing, in each state, by several kinds of caller.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Permitted } from '@gantry/contract/can.ts';
import type { Client } from '@gantry/contract/client/client.ts';
import { endpoints, type EndpointName } from '@gantry/contract/endpoints.ts';
import { orgActions } from '@gantry/contract/people/login.ts';
import { Problem } from '@gantry/contract/problems.ts';
import { operations, type Rule } from '@gantry/contract/roles.ts';
import { sql } from '../../ground/database/sql.ts';
import { twoConfigs } from '../../testing/pushes/asset-configs.ts';
import { standInFor } from '../../testing/agents/agent-stand-in.ts';
import { projectOf } from '../../testing/pushes/project-archive.ts';
import { rows, type Actor } from '../../testing/access/route-table.ts';
import { storeAgent, type StoredAgent } from '../../testing/stored/stored-agent.ts';
import { testApp, type TestApp, type TestUser } from '../../testing/test-app.ts';

type Can = Partial<Record<string, Permitted>>;
interface Shown {
  show: (client: Client) => Promise<Can>;
  /** The input of each action. */
  calls: Partial<Record<EndpointName, (client: Client) => object>>;
}

let app: TestApp;
let owner: TestUser;
let max: TestUser;
let machine_client: Client;
const callers = new Map<string, Client>();
let made = 0;
const fresh = (what: string) => `${what}-${++made}`;

beforeAll(async () => {
  app = await testApp({ config: { engine_host: 'unix:///nowhere/docker.sock' } });
  // An infinite lease keeps every run queued: no worker claims it.
  await app.db.run(sql`alter table run alter column lease_until set default 'infinity'`);
  owner = await app.user('owner@example.com', { teams: { ml: 'contributor' } });
  max = await app.user('max@example.com', { teams: { ml: 'admin' } });
  const others = {
    viewer: await app.user('viewer@example.com', { teams: { ml: 'viewer' } }),
    deployer: await app.user('deployer@example.com', { teams: { ml: 'deployer' } }),
    outsider: await app.user('outsider@example.com', { teams: { ops: 'contributor' } }),
    'platform admin': app.admin,
  };
  for (const [name, { client }] of Object.entries({ owner, 'team admin': max, ...others })) callers.set(name, client);
  const body = { name: 'ci', team: 'ml', role: 'deployer' as const, allowed_assets: ['*/*'] };
  const { key = '' } = await app.admin.client.call('principals.create', { body });
  machine_client = app.as((await app.anonymous.call('auth.exchange_key', { body: { key } })).access_token);
  callers.set('service principal', machine_client);
}, 60_000);
afterAll(async () => await app?.stop());

const newAgent = async (yaml = '') => await storeAgent(app, owner.email, { name: fresh('agent'), yaml });
const submit = async ({ ref }: StoredAgent) =>
  (await owner.client.call('approvals.submit', { body: { asset: ref } })).id;
const approve = async (id: string) => await app.admin.client.call('approvals.approve', { params: { id }, body: {} });

async function approvedAgent(yaml = ''): Promise<StoredAgent> {
  const agent = await newAgent(yaml);
  await approve(await submit(agent));
  return agent;
}

async function servingAgent(yaml = ''): Promise<StoredAgent> {
  const agent = await approvedAgent(yaml);
  await standInFor(app, agent, (_, response) => {
    response.setHeader('content-type', 'application/json');
    response.end('{"output":{},"status":"ready","in_flight":0}');
  });
  return agent;
}

async function newAsset(kind: 'tool' | 'knowledge-base' = 'tool'): Promise<string> {
  const name = fresh('asset');
  const [config] = twoConfigs[kind];
  await owner.client.call('registry.create', { params: { kind }, body: { name, team: 'ml', config } });
  return name;
}

function agentInRegistry(make: () => Promise<StoredAgent>): () => Promise<Shown> {
  return async () => {
    const agent = await make();
    const { name } = agent;
    const of = { kind: 'agent', name } as const;
    const secret = async (client: Client) =>
      await client.call('secrets.set', {
        body: { agent: name, name: fresh('KEY').replace('-', '_'), value: 'a value' },
      });
    const kept = await secret(app.admin.client);
    return {
      show: async (client) => (await client.call('registry.show', { params: of })).can,
      calls: {
        'agents.push': () => ({
          params: { name },
          body: projectOf({ name, version: '1.1.0', yaml: `owner: ${owner.email}\n` }),
        }),
        'approvals.submit': () => ({ body: { asset: `agents/${name}` } }),
        ...(await permissionCalls('agent', name)),
        ...registryCalls(of),
        'secrets.remove': () => ({ params: { id: kept.id } }),
        'secrets.set': () => ({ body: { agent: name, name: 'OTHER', value: 'a value' } }),
      },
    };
  };
}

async function permissionCalls(resource_type: 'agent' | 'tool' | 'knowledge-base', resource_id: string) {
  const body = { resource_type, resource_id, principal_type: 'team', principal_id: 'ml', actions: ['use', 'write'] };
  const row = await app.db.one<{ id: string }>(sql`
    select p.id from permission p join asset a on a.id = p.asset_id where a.name = ${resource_id} and p.principal_type = 'org'`);
  return {
    'permissions.grant': () => ({ body }),
    'permissions.revoke': () => ({ params: { id: row?.id ?? '' }, query: { actions: 'use' } }),
  };
}

const registryCalls = (params: { kind: string; name: string }) => ({
  'registry.publish': () => ({ params }),
  'registry.set_visibility': () => ({ params, body: { visibility: 'org' } }),
  'registry.transfer': () => ({ params, body: { owner: max.email } }),
  'registry.unpublish': () => ({ params }),
});

function assetInRegistry(kind: 'tool' | 'knowledge-base', prepare: (name: string) => Promise<void> = async () => {}) {
  return async (): Promise<Shown> => {
    const name = await newAsset(kind);
    await prepare(name);
    const params = { kind, name };
    return {
      show: async (client) => (await client.call('registry.show', { params })).can,
      calls: {
        'approvals.submit': () => ({ body: { asset: `${kind === 'tool' ? 'tools' : 'kb'}/${name}` } }),
        ...(await permissionCalls(kind, name)),
        ...registryCalls(params),
        'registry.delete': () => ({ params }),
        'registry.edit': () => ({ params, body: { description: fresh('words') } }),
      },
    };
  };
}

async function useIt(name: string): Promise<void> {
  const model = fresh('embed');
  await app.admin.client.call('registry.create', {
    params: { kind: 'model' },
    body: {
      name: model,
      team: 'ml',
      owner: owner.email,
      config: { provider: 'acme', model: 'embed', type: 'embedding' },
    },
  });
  const config = { embedding_model: `models/${model}`, knowledge_bases: [`kb/${name}`], top_k: 3 };
  await owner.client.call('registry.create', {
    params: { kind: 'rag-index' },
    body: { name: fresh('index'), team: 'ml', config },
  });
}

function agentStatus(make: () => Promise<StoredAgent>): () => Promise<Shown> {
  return async () => {
    const { name, ref } = await make();
    const params = { name };
    return {
      show: async (client) => (await client.call('agents.status', { params })).can ?? {},
      calls: {
        'agents.delete': () => ({ params }),
        'agents.restart': () => ({ params }),
        'agents.rollback': () => ({ params, body: {} }),
        'agents.scale': () => ({ params, body: { instances: 2 } }),
        'agents.start': () => ({ params }),
        'agents.stop': () => ({ params }),
        'budgets.show': () => ({ query: { scope: 'agent', scope_id: name } }),
        'deployments.create': () => ({ body: { ref } }),
        'invoke.call': () => ({ params, body: new TextEncoder().encode('{"input":{}}') }),
      },
    };
  };
}

function request(make: () => Promise<string>): () => Promise<Shown> {
  return async () => {
    const id = await make();
    const params = { id };
    return {
      show: async (client) => (await client.call('approvals.show', { params })).can,
      calls: {
        'approvals.approve': () => ({ params, body: {} }),
        'approvals.comment': () => ({ params, body: { message: 'why?' } }),
        'approvals.reject': () => ({ params, body: {} }),
        'approvals.revoke': () => ({ params, body: {} }),
        'approvals.withdraw': () => ({ params }),
      },
    };
  };
}

function team(make: () => Promise<string>): () => Promise<Shown> {
  return async () => {
    const name = await make();
    const params = { team: name };
    const email = `${fresh('member')}@example.com`;
    await app.user(email, { teams: { [name]: 'viewer' } });
    const secret = async () =>
      (await app.admin.client.call('secrets.set', { body: { team: name, name: 'KEPT', value: 'a value' } })).id;
    const kept = name === 'ml' ? await secret() : undefined;
    return {
      show: async (client) => (await client.call('teams.show', { params })).can,
      calls: {
        'budgets.set': () => ({ body: { scope: 'team', scope_id: name, limits: { daily_usd: '5' } } }),
        'budgets.show': () => ({ query: { scope: 'team', scope_id: name } }),
        'grants.create': () => ({ body: { right: 'read_costs', principal: `user:${email}`, team: name } }),
        'groups.create': () => ({ body: { name: fresh('group'), team: name } }),
        'key_defaults.set': () => ({ params, body: { models: ['*'] } }),
        'keys.create': () => ({ body: { scope: 'team', scope_id: name } }),
        'principals.create': () => ({ body: { name: fresh('machine'), team: name } }),
        // A service principal owns nothing.
        'registry.create': (client) => ({
          params: { kind: 'tool' },
          body: { name: fresh('tool'), team: name, ...(client === machine_client ? { owner: owner.email } : {}) },
        }),
        ...(kept === undefined ? {} : { 'secrets.remove': () => ({ params: { id: kept } }) }),
        'secrets.set': () => ({ body: { team: name, name: fresh('KEY').replace('-', '_'), value: 'a value' } }),
        'teams.add_member': () => ({ params, body: { principal: `user:${email}`, role: 'viewer' } }),
        'teams.delete': () => ({ params }),
        'teams.remove_member': () => ({ params: { ...params, principal: `user:${email}` } }),
      },
    };
  };
}

function key(make: () => Promise<string>): () => Promise<Shown> {
  return async () => {
    const params = { id: await make() };
    const same = () => ({ params });
    return {
      show: async (client) => (await client.call('keys.show', { params })).can,
      calls: { 'keys.claim': same, 'keys.resume': same, 'keys.reveal': same, 'keys.revoke': same, 'keys.rotate': same },
    };
  };
}

const teamKey = async () => (await max.client.call('keys.create', { body: { scope: 'team', scope_id: 'ml' } })).id;
const ownKey = async () => (await owner.client.call('keys.create', { body: {} })).id;

const group = async (): Promise<Shown> => {
  const { id } = await max.client.call('groups.create', { body: { name: fresh('group'), team: 'ml' } });
  const { members } = await max.client.call('groups.add_member', { params: { id }, body: { email: owner.email } });
  return {
    show: async (client) => (await client.call('groups.show', { params: { id } })).can,
    calls: {
      'groups.add_member': () => ({ params: { id }, body: { email: max.email } }),
      'groups.delete': () => ({ params: { id } }),
      'groups.remove_member': () => ({ params: { id, member_id: members[0]?.id ?? '' } }),
      'groups.update': () => ({ params: { id }, body: { description: fresh('words') } }),
    },
  };
};

const machine = async (): Promise<Shown> => {
  const { id } = await max.client.call('principals.create', { body: { name: fresh('machine'), team: 'ml' } });
  const params = { id };
  return {
    show: async (client) => (await client.call('principals.show', { params })).can,
    calls: {
      'principals.delete': () => ({ params }),
      'principals.rotate_key': () => ({ params, body: {} }),
      'principals.update': () => ({ params, body: { description: fresh('words') } }),
    },
  };
};

const scenes: Record<string, () => Promise<Shown>> = {
  'an agent that waits for an approval': agentInRegistry(async () => await newAgent()),
  'an approved agent': agentInRegistry(approvedAgent),
  'a tool': assetInRegistry('tool'),
  'an approved tool': assetInRegistry('tool', async (name) => {
    const { id } = await owner.client.call('approvals.submit', { body: { asset: `tools/${name}` } });
    await approve(id);
  }),
  'a knowledge base in use': assetInRegistry('knowledge-base', useIt),
  'the status of an agent without an approval': agentStatus(async () => await newAgent()),
  'the status of an approved agent': agentStatus(approvedAgent),
  'the status of an agent that lacks a secret': agentStatus(async () => {
    const agent = await newAgent('deploy: {secrets: [MISSING]}\n');
    await approve(await submit(agent));
    return agent;
  }),
  'the status of a serving agent': agentStatus(servingAgent),
  'the status of an agent with up to three containers': agentStatus(
    async () => await servingAgent('deploy: {scaling: {min: 1, max: 3}}\n'),
  ),
  'the status of a stopped agent': agentStatus(async () => {
    const agent = await servingAgent();
    await app.governed(sql`update route set desired = 'stopped' where agent_id = ${agent.asset_id} returning id`);
    return agent;
  }),
  'the status of an agent in a deploy': agentStatus(async () => {
    const agent = await approvedAgent();
    await app.admin.client.call('deployments.create', { body: { ref: agent.ref } });
    return agent;
  }),
  'a pending request': request(async () => await submit(await newAgent())),
  'a request about other content': request(async () => {
    const agent = await newAgent();
    const id = await submit(agent);
    await storeAgent(app, owner.email, { name: agent.name, files: { 'new.txt': 'new' } });
    return id;
  }),
  'an approved request': request(async () => {
    const id = await submit(await newAgent());
    await approve(id);
    return id;
  }),
  'a rejected request': request(async () => {
    const id = await submit(await newAgent());
    await app.admin.client.call('approvals.reject', { params: { id }, body: {} });
    return id;
  }),
  'a superseded request': request(async () => {
    const agent = await newAgent();
    const id = await submit(agent);
    await storeAgent(app, owner.email, { name: agent.name, files: { 'new.txt': 'new' } });
    await submit(agent);
    return id;
  }),
  'an overdue request': request(async () => {
    await app.settings({ approval_expires_after_days: 7 });
    const id = await submit(await newAgent());
    await app.governed(
      sql`update approval set submitted_at = submitted_at - interval '8 days' where id = ${id} returning id`,
    );
    return id;
  }),
  'a team with assets': team(async () => 'ml'),
  'an empty team': team(async () => {
    const name = fresh('team');
    await app.admin.client.call('teams.create', { body: { name } });
    return name;
  }),
  'a group': group,
  'a service principal': machine,
  'a key of a team': key(teamKey),
  'a key of one’s own': key(ownKey),
  'a waiting key': key(async () => {
    const id = await ownKey();
    await app.governed(sql`update gateway_key set activated_at = null where id = ${id} returning id`);
    return id;
  }),
  'a paused key': key(async () => {
    const id = await teamKey();
    await app.db.run(sql`update account set paused_at = clock_now() where id = ${id}`);
    return id;
  }),
  'a revoked key': key(async () => {
    const id = await teamKey();
    await max.client.call('keys.revoke', { params: { id } });
    return id;
  }),
};

// A repeated decision answers as the first one did, so that a lost answer can be fetched again. No button is needed for it.
const repeatable: Record<string, readonly EndpointName[]> = {
  'an approved request': ['approvals.approve'],
  'a rejected request': ['approvals.reject'],
};

// They leave the other actions as they were.
const harmless = new Set<EndpointName>([
  'agents.start',
  'approvals.comment',
  'budgets.set',
  'budgets.show',
  'grants.create',
  'groups.add_member',
  'groups.update',
  'invoke.call',
  'key_defaults.set',
  'permissions.grant',
  'permissions.revoke',
  'principals.update',
  'registry.edit',
  'registry.publish',
  'registry.set_visibility',
  'registry.unpublish',
  'secrets.set',
  'teams.add_member',
]);

describe.each(Object.keys(scenes))('of %s', (scene) => {
  test('each action is allowed exactly if its endpoint does it, and a refusal has the sentence of the endpoint', async () => {
    const make = scenes[scene];
    if (make === undefined) throw new Error(`there is no scene ${scene}`);
    let checked = false;
    for (const [who, client] of callers) {
      let shown = await make();
      let can = await visible(shown, client);
      if (can === undefined) continue;
      checked = true;
      const calls = Object.keys(shown.calls) as EndpointName[];
      expect([...Object.keys(can), 'secrets.remove']).toEqual(expect.arrayContaining(calls));
      for (const action of Object.keys(can) as EndpointName[]) {
        const call = shown.calls[action];
        if (call === undefined) continue;
        const answer = await attempt(client, action, call(client));
        if (repeatable[scene]?.includes(action) && answer.allowed) continue;
        const { ask: _, ...said } = can[action] ?? { allowed: false };
        // A push by a stranger to the team answers about the name, because the name of a hidden agent answers the same.
        if (action === 'agents.push') said.reason = answer.reason;
        expect({ scene, who, action, ...said }).toEqual({ scene, who, action, ...answer });
        if (!answer.allowed) continue;
        if (!harmless.has(action)) shown = await make();
        can = await shown.show(client);
      }
    }
    expect(checked).toBe(true);
  });
});

// access/route-matrix.test.ts compares the table with the endpoints.
test('what auth.me says about the organisation is the answer of the table of routes', async () => {
  const byRole = (Object.keys(endpoints) as EndpointName[]).filter((name) => {
    // Everybody for oneself, so no role decides it.
    const ofOneself = ['connections.', 'tool_questions.', 'clients.'];
    if (name === 'threads.forget_user' || ofOneself.some((noun) => name.startsWith(noun))) return false;
    const rule: Rule = operations[endpoints[name].operation];
    return rule.on === 'org' || (rule.on === 'signed_in' && rule.by === 'person');
  });
  const ofOrg = ['budgets.set', 'budgets.show', 'grants.create'];
  expect([...byRole, ...ofOrg].toSorted()).toEqual([...orgActions]);
  const columns: Record<string, Actor> = {
    owner: 'ow',
    viewer: 'vt',
    deployer: 'dt',
    outsider: 'vo',
    'team admin': 'ta',
    'platform admin': 'pa',
    'service principal': 'sd',
  };
  for (const [who, column] of Object.entries(columns)) {
    const can: Can = (await (callers.get(who) ?? app.anonymous).call('auth.me', {})).can;
    const answers = byRole.map((name) => [name, isAllowed(rows.find((row) => row.name === name)?.expected[column])]);
    expect([who, byRole.map((name) => [name, can[name]?.allowed])]).toEqual([who, answers]);
    for (const name of ofOrg) expect([who, can[name]?.allowed]).toEqual([who, who === 'platform admin']);
  }
});

test('a refusal has the command of its hint', async () => {
  const { name } = await newAgent();
  const deployer = callers.get('deployer') ?? app.anonymous;
  const { can } = await deployer.call('registry.show', { params: { kind: 'agent', name } });
  expect(can['registry.publish']).toEqual({
    allowed: false,
    reason: `You have no publish permission on agents/${name}.`,
    ask: `svc acl grant --asset agents/${name} --principal user:deployer@example.com --actions publish`,
  });
  const status = await deployer.call('agents.status', { params: { name } });
  expect(status.can?.['deployments.create']?.ask).toBe(`svc submit --asset agents/${name}`);
});

async function visible(shown: Shown, client: Client): Promise<Can | undefined> {
  try {
    return await shown.show(client);
  } catch (error) {
    if (error instanceof Problem && error.code === 'not_found') return undefined;
    throw error;
  }
}

/** The engine is away: an action that reaches it was allowed. */
async function attempt(client: Client, action: EndpointName, sent: object): Promise<Permitted> {
  try {
    await client.call(action, sent as never); // the table has the input of this endpoint
    return { allowed: true };
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    if (error.code === 'engine_unavailable') return { allowed: true };
    return { allowed: false, reason: error.detail };
  }
}

/** A conflict comes after the decision: `local` has no policy. */
const isAllowed = (status: string | number | undefined) => Number(status) < 400 || Number(status) === 409;
