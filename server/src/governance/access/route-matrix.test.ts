// Every endpoint of the contract for every kind of caller, on the real service. The table is written by hand from the spec and the
// decisions, independently of the server's own tables. A route outside the table fails the test.
//
// The service has no container engine and executes no runs. An allowed deploy or push answers 202 and stays queued. An allowed request that
// needs the engine answers 503.
import { assetRequests } from '../../testing/access/asset-requests.ts';
import type { RequestListener } from 'node:http';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { endpointUrl } from '@gantry/contract/client/client.ts';
import { contentTypes, type Endpoint } from '@gantry/contract/endpoint.ts';
import { endpoints, type EndpointName } from '@gantry/contract/endpoints.ts';
import { sql } from '../../ground/database/sql.ts';
import { surfaces } from '../http/surface.ts';
import { deriveKey } from '../../ground/derive-key.ts';
import { passwordTokens } from '../../people/login/password-token.ts';
import { standInFor } from '../../testing/agents/agent-stand-in.ts';
import { of_own_page, signInBrowser } from '../../testing/browser.ts';
import * as orchestrations from '../../testing/stored/stored-orchestrations.ts';
import { deaf_host, deafWebhook, makeDeadDelivery, makeWebhook } from '../../testing/stored/make-webhook.ts';
import { projectOf } from '../../testing/pushes/project-archive.ts';
import { aboutNothing, nothing, type Sent } from '../../testing/access/about-nothing.ts';
import { invokeRequests } from '../../testing/access/invoke-requests.ts';
import { langgraphRequests } from '../../testing/access/langgraph-requests.ts';
import { skillRequests } from '../../testing/access/skill-requests.ts';
import { memoryRequests, threadRequests } from '../../testing/access/memory-requests.ts';
import { modelRequests } from '../../testing/models/model-requests.ts';
import { orchestrationA2a } from '../../testing/agents/orchestration-a2a.ts';
import { a2aRequest, storeRun, storeTask, traceOf } from '../../testing/stored/stored-calls.ts';
import { storeThread } from '../../testing/stored/stored-thread.ts';
import { storeAgent, type StoredAgent } from '../../testing/stored/stored-agent.ts';
import { giveReading, readingGrants } from '../../testing/stored/stored-grants.ts';
import { actors, columns, rows, type Actor, type Look } from '../../testing/access/route-table.ts';
import { storeCost } from '../../testing/stored/stored-costs.ts';
import { testApp, type TestApp, type TestUser } from '../../testing/test-app.ts';

interface Subject {
  /** Deployed and approved. */
  agent: StoredAgent;
  /** Not deployed, approved. */
  idle: StoredAgent;
  tool: string;
  orchestration: string;
  push_id: string;
  approval_id: string;
  deployment_id: string;
  run_id: string;
}

const invoked = { input: { name: 'Ada' } };
let app: TestApp;
const container: RequestListener = (_, response) => {
  response.setHeader('content-type', 'application/json');
  response.end('{"output":{},"status":"ready","in_flight":0}');
};
let owner: TestUser;
let subjects: Record<'org' | 'team', Subject>;
type Proof = Record<string, string>;
/** The header that proves each actor, by the way to be a caller. A service principal has no browser. */
const proofs = {
  'in a browser': new Map<Actor, Proof>(),
  'with a bearer token': new Map<Actor, Proof>(),
};
const people = new Map<Actor, TestUser>();
let made = 0;
const fresh = (what: string) => `${what}-${++made}`;

beforeAll(async () => {
  app = await testApp({
    config: { engine_host: 'unix:///nowhere/docker.sock', outbound_private_hosts: [deaf_host] },
  });
  // An infinite lease keeps every run queued: no worker claims it.
  await app.db.run(sql`alter table run alter column lease_until set default 'infinity'`);
  await orchestrations.endCancelledRuns(app);
  await signEverybodyIn();
  subjects = { org: await subject('org'), team: await subject('team') };
  await app.settings({ enforce_password_change: true });
}, 60_000);
afterAll(async () => {
  await app?.stop();
});

async function signEverybodyIn(): Promise<void> {
  const put = async (actor: Actor, more: Parameters<TestApp['user']>[1]) => {
    const user = await app.user(`${actor}@example.com`, more);
    people.set(actor, user);
    proofs['in a browser'].set(actor, { cookie: await signInBrowser(app.url, user) });
    proofs['with a bearer token'].set(actor, { authorization: `Bearer ${user.token}` });
    return user;
  };
  owner = await put('ow', { teams: { ml: 'contributor' } });
  await put('ex', { teams: { ml: 'admin' } });
  await put('di', { role: 'admin', teams: { ml: 'admin' } });
  await put('vo', { teams: { ops: 'viewer' } });
  for (const actor of ['fi', 'au'] as const) await put(actor, {});
  await put('vt', { teams: { ml: 'viewer' } });
  await put('ct', { teams: { ml: 'contributor' } });
  await put('dt', { teams: { ml: 'deployer' } });
  await put('pd', { role: 'deployer' });
  await put('oa', { teams: { ops: 'admin' } });
  await put('ta', { teams: { ml: 'admin' } });
  await put('pa', { role: 'admin' });
  await put('fl', { teams: { ml: 'contributor' }, must_change: true });
  await giveReading(app);
  for (const [actor, team, role] of [
    ['sv', 'ml', 'viewer'],
    ['sd', 'ml', 'deployer'],
    ['so', 'ops', 'deployer'],
  ] as const) {
    const body = { name: actor, team, role, allowed_assets: ['*/*'] };
    const { key = '' } = await app.admin.client.call('principals.create', { body });
    const { access_token } = await app.anonymous.call('auth.exchange_key', { body: { key } });
    proofs['with a bearer token'].set(actor, { authorization: `Bearer ${access_token}` });
  }
  const [cookie_name] = (await signInBrowser(app.url, app.admin)).split('=');
  proofs['in a browser'].set('an', {}).set('ga', { cookie: `${cookie_name}=garbage.garbage.garbage` });
  proofs['with a bearer token'].set('an', {}).set('ga', { authorization: 'Bearer garbage.garbage.garbage' });
  await app.db.run(
    sql`update session set expires_at = clock_now() - interval '1 s' where user_id = (select id from app_user where email = 'ex@example.com')`,
  );
  await app.governed(sql`update app_user set active = false where email = 'di@example.com' returning id`);
}

const visibilityOf = (look: Look) => (look === 'team' ? 'team' : 'org');
const yamlOf = (look: 'org' | 'team') => `access: {visibility: ${look}}\n`;

async function subject(look: 'org' | 'team'): Promise<Subject> {
  const agent = await storeAgent(app, owner.email, { name: fresh('agent'), yaml: yamlOf(look) });
  const approval_id = await approved(agent);
  await standInFor(app, agent, container);
  const idle = await storeAgent(app, owner.email, { name: fresh('idle'), yaml: yamlOf(look) });
  await approved(idle);
  const tool = await freshTool(look);
  const name = fresh('flow');
  return {
    agent,
    idle,
    tool,
    orchestration: await orchestrations.deployedOrchestration(app, owner, { name, agent, visibility: look }),
    approval_id,
    push_id: await pushed(look),
    deployment_id: await deployed(idle),
    run_id: nothing,
  };
}

async function freshTool(look: Look): Promise<string> {
  const name = fresh('tool');
  await owner.client.call('registry.create', {
    params: { kind: 'tool' },
    body: { name, team: 'ml', visibility: visibilityOf(look) },
  });
  return name;
}

async function submitted({ ref }: StoredAgent): Promise<string> {
  return (await owner.client.call('approvals.submit', { body: { asset: ref } })).id;
}

async function approved(agent: StoredAgent): Promise<string> {
  const id = await submitted(agent);
  await app.admin.client.call('approvals.approve', { params: { id }, body: {} });
  return id;
}

async function deployed({ ref }: StoredAgent): Promise<string> {
  const { id } = await app.admin.client.call('deployments.create', { body: { ref } });
  await endRuns();
  return id;
}

async function pushed(look: 'org' | 'team'): Promise<string> {
  const { name } = await storeAgent(app, owner.email, { name: fresh('pushed'), yaml: yamlOf(look) });
  const { id } = await owner.client.call('agents.push', {
    params: { name },
    body: projectOf({ name, version: '1.1.0', yaml: yamlOf(look) }),
  });
  await endRuns();
  return id;
}

/** The next caller can then ask for the same. */
async function endRuns(): Promise<void> {
  await app.db.run(sql`update run set state = 'failed', ended_at = clock_now() where ended_at is null`);
}

const freshAgent = async (look: Look) =>
  await storeAgent(app, owner.email, { name: fresh('fresh'), yaml: yamlOf(look === 'team' ? 'team' : 'org') });
const freshApproved = async (look: Look) => {
  const agent = await freshAgent(look);
  await approved(agent);
  return agent;
};

const isMachine = (actor: Actor) => actor === 'sv' || actor === 'sd' || actor === 'so';

/** This caller; with the look `other`, another one. */
const labelOf = (look: Look, actor: Actor) =>
  look === 'other' ? app.admin.email : isMachine(actor) ? `principal:${actor}` : `${actor}@example.com`;

const runOf = async (look: Look, actor: Actor, { agent }: Subject) =>
  (await storeRun(app, agent, labelOf(look, actor))) ?? nothing;

const taskOf = async (look: Look, actor: Actor, { agent }: Subject, waits: boolean) => ({
  params: { name: agent.name, task_id: (await storeTask(app, agent, labelOf(look, actor), waits)) ?? nothing },
});

const threadOf = async (look: Look, actor: Actor, { agent }: Pick<Subject, 'agent'>) => ({
  name: agent.name,
  thread: (await storeThread(app, agent, labelOf(look, actor))) ?? nothing,
});

const orchestrationRun = async ({ orchestration: name }: Subject, look: Look, actor: Actor) => ({
  params: { name, run_id: await orchestrations.orchestrationRunOf(app, name, labelOf(look, actor)) },
});

async function memberToRemove(): Promise<string> {
  const email = `${fresh('member')}@example.com`;
  await app.user(email, { teams: { ml: 'viewer' } });
  return `user:${email}`;
}

async function emptyTeam(): Promise<string> {
  const name = fresh('team');
  await app.admin.client.call('teams.create', { body: { name } });
  return name;
}

async function userToChange(): Promise<string> {
  const { email } = await app.user(`${fresh('user')}@example.com`);
  const row = await app.db.one<{ id: string }>(sql`select id from app_user where email = ${email}`);
  return row?.id ?? nothing;
}

/** A token as in a mail. */
async function passwordToken(): Promise<string> {
  const user_id = await userToChange();
  await app.governed(
    sql`insert into password_token (user_id, kind, made_by, expires_at) values (${user_id}, 'reset', 'a test', clock_now() + interval '1 h') returning id`,
  );
  const row = await app.db.one<{ id: string }>(sql`select id from password_token where user_id = ${user_id}`);
  return passwordTokens(deriveKey(app.secret_key, 'password-token')).print(row?.id ?? nothing);
}

async function freshGroup() {
  const { id } = await app.admin.client.call('groups.create', { body: { name: fresh('group'), team: 'ml' } });
  return await app.admin.client.call('groups.add_member', { params: { id }, body: { email: owner.email } });
}

/** With the look `other`, of the team itself. */
const secretScope = (at: Subject, look: Look) => (look === 'other' ? { team: 'ml' } : { agent: at.agent.name });

async function freshSecret(at: Subject, look: Look): Promise<string> {
  const body = { ...secretScope(at, look), name: fresh('MATRIX_KEY').replace('-', '_'), value: 'a value' };
  return (await app.admin.client.call('secrets.set', { body })).id;
}
const freshPrincipal = async () =>
  await app.admin.client.call('principals.create', { body: { name: fresh('machine'), team: 'ml' } });

/** A key of the owner, as if the service had issued it. */
async function waitingKey(): Promise<string> {
  const { id } = await owner.client.call('keys.create', { body: {} });
  await app.governed(sql`update gateway_key set activated_at = null where id = ${id} returning id`);
  return id;
}
const freshKey = async () =>
  (await app.admin.client.call('keys.create', { body: { scope: 'team', scope_id: 'ml' } })).id;

/** The input by endpoint. Every change has its own subject. */
const requests: { [N in EndpointName]: (at: Subject, look: Look, actor: Actor) => Sent | Promise<Sent> } = {
  'service.livez': () => ({}),
  'service.readyz': () => ({}),
  'service.metrics': () => ({}),
  'service.openapi': () => ({}),
  'service.agent_schema': () => ({}),
  'service.asset_schema': () => ({ params: { kind: 'tool' } }),
  'service.doctor': () => ({}),
  'auth.login': () => ({ body: { email: app.admin.email, password: app.admin.password } }),
  'auth.browser_session': () => ({ body: { email: app.admin.email, password: app.admin.password } }),
  'auth.me': () => ({}),
  'auth.change_password': (_, __, actor) => {
    const user = people.get(actor);
    const body = { old_password: user?.password ?? 'none', new_password: fresh(`another one of ${actor}`) };
    if (user !== undefined) user.password = body.new_password;
    return { body };
  },
  'auth.set_password': async () => ({ body: { token: await passwordToken(), new_password: 'words of their own' } }),
  'auth.revoke': () => ({ body: {} }),
  'teams.list': () => ({}),
  'teams.create': () => ({ body: { name: fresh('team') } }),
  'teams.show': () => ({ params: { team: 'ml' } }),
  'teams.add_member': () => ({ params: { team: 'ml' }, body: { principal: 'user:vt@example.com', role: 'viewer' } }),
  'teams.remove_member': async () => ({ params: { team: 'ml', principal: await memberToRemove() } }),
  'users.list': () => ({}),
  'users.create': () => ({ body: { email: `${fresh('user')}@example.com` } }),
  'teams.delete': async () => ({ params: { team: await emptyTeam() } }),
  'users.show': async () => ({ params: { id: await userToChange() } }),
  'users.update': async () => ({ params: { id: await userToChange() }, body: { name: 'Somebody else' } }),
  'users.remove': async () => ({ params: { id: await userToChange() } }),
  'users.reset_password': async () => ({ params: { id: await userToChange() }, body: {} }),
  'groups.list': () => ({}),
  'groups.create': () => ({ body: { name: fresh('group'), team: 'ml' } }),
  'groups.show': async () => ({ params: { id: (await freshGroup()).id } }),
  'groups.update': async () => ({ params: { id: (await freshGroup()).id }, body: { description: 'on call' } }),
  'groups.delete': async () => ({ params: { id: (await freshGroup()).id } }),
  'groups.add_member': async () => ({
    params: { id: (await freshGroup()).id },
    body: { email: 'vt@example.com' },
  }),
  'groups.remove_member': async () => {
    const { id, members } = await freshGroup();
    return { params: { id, member_id: members[0]?.id ?? nothing } };
  },
  'costs.report': () => ({}),
  'costs.correct': async () => {
    await storeCost(app, { team: 'ml', model: 'small', nano: 1, estimated: true });
    return { body: { since: '2026-01-01T00:00:00Z', billed_usd: '0', reason: 'the bill' } };
  },
  'guardrails.report': (at) => ({ query: { agent: at.agent.name } }),
  'traces.list': () => ({}),
  'traces.figures': (at) => ({ params: { name: at.agent.name } }),
  'traces.runs': (at) => ({ params: { name: at.agent.name } }),
  'traces.show': async (at) => ({ params: { id: await traceOf(app, at.agent) } }),
  'keys.list': () => ({}),
  'keys.create': () => ({ body: { scope: 'team', scope_id: 'ml' } }),
  'keys.show': async () => ({ params: { id: await freshKey() } }),
  'keys.claim': async () => ({ params: { id: await waitingKey() } }),
  'keys.reveal': async () => ({ params: { id: await freshKey() } }),
  'keys.rotate': async () => ({ params: { id: await freshKey() } }),
  'keys.resume': async () => {
    const id = await freshKey();
    await app.db.run(sql`update account set paused_at = clock_now() where id = ${id}`);
    return { params: { id } };
  },
  'budgets.show': () => ({ query: { scope: 'team', scope_id: 'ml' } }),
  'budgets.set': () => ({ body: { scope: 'team', scope_id: 'ml', limits: { daily_usd: '5' } } }),
  'key_defaults.show': () => ({ params: { team: 'ml' } }),
  'key_defaults.set': () => ({ params: { team: 'ml' }, body: { models: ['*'] } }),
  'keys.revoke': async () => ({ params: { id: await freshKey() } }),
  // A token is no key.
  ...modelRequests,
  ...memoryRequests,
  'models.list': () => ({}),
  ...assetRequests({ app: () => app, admin: () => app.admin.client, owner: () => owner.email, fresh }),
  'principals.list': () => ({}),
  'principals.create': () => ({ body: { name: fresh('machine'), team: 'ml' } }),
  'principals.show': async () => ({ params: { id: (await freshPrincipal()).id } }),
  'principals.update': async () => ({ params: { id: (await freshPrincipal()).id }, body: { role: 'deployer' } }),
  'principals.delete': async () => ({ params: { id: (await freshPrincipal()).id } }),
  'principals.rotate_key': async () => ({ params: { id: (await freshPrincipal()).id }, body: {} }),
  'auth.exchange_key': async () => ({ body: { key: (await freshPrincipal()).key ?? '' } }),
  'org.show': () => ({}),
  'org.set': () => ({ body: { auth_provider: 'local' } }),
  'org.check': () => ({}),
  'registry.search': () => ({ query: { q: 'agent' } }),
  'registry.list': () => ({ params: { kind: 'agent' } }),
  'registry.show': (at) => ({ params: { kind: 'agent', name: at.agent.name } }),
  'registry.create': (_, __, actor) => ({
    params: { kind: 'tool' },
    // A service principal owns nothing.
    body: { name: fresh('tool'), team: 'ml', ...(isMachine(actor) ? { owner: owner.email } : {}) },
  }),
  'registry.edit': (at) => ({
    params: { kind: 'tool', name: at.tool },
    body: { version: `1.0.${++made}`, config: {} },
  }),
  'registry.show_version': (at) => ({ params: { kind: 'agent', name: at.agent.name, version: '1.0.0' } }),
  'registry.used_by': (at) => ({ params: { kind: 'agent', name: at.agent.name } }),
  'registry.difference': (at) => ({
    params: { kind: 'agent', name: at.agent.name },
    query: { from: '1.0.0', to: '1.0.0' },
  }),
  'registry.files': (at) => ({ params: { kind: 'agent', name: at.agent.name, version: '1.0.0' } }),
  'registry.show_file': (at) => ({
    params: { kind: 'agent', name: at.agent.name, version: '1.0.0' },
    query: { path: 'agent.yaml' },
  }),
  'registry.set_visibility': async (_, look) => ({
    params: { kind: 'tool', name: await freshTool(look) },
    body: { visibility: 'private' },
  }),
  'registry.publish': async (_, look) => ({ params: { kind: 'agent', name: (await freshAgent(look)).name } }),
  'registry.unpublish': (at) => ({ params: { kind: 'tool', name: at.tool } }),
  // To another member of the same team, or to a team without the owner and the team's admins.
  'registry.transfer': async (_, look) => ({
    params: { kind: 'tool', name: await freshTool(look) },
    body: look === 'other' ? { team: 'ops', owner: 'oa@example.com' } : { owner: 'ct@example.com' },
  }),
  'registry.delete': async (_, look) => ({ params: { kind: 'tool', name: await freshTool(look) } }),
  'agents.push': async (_, look, actor) => {
    const name = look === 'new' ? fresh('new') : (await freshAgent(look)).name;
    const owned = isMachine(actor) ? `owner: ${owner.email}\n` : '';
    const yaml = yamlOf(look === 'team' ? 'team' : 'org') + owned;
    const project = projectOf({ name, version: '1.1.0', yaml });
    return { params: { name }, body: await new Response(project).blob() };
  },
  ...skillRequests({ owner: () => owner, fresh, isMachine }),
  'pushes.show': (at) => ({ params: { id: at.push_id } }),
  'pushes.events': (at) => ({ params: { id: at.push_id } }),
  'permissions.list': () => ({}),
  'permissions.grant': async (_, look) => ({
    body: {
      resource_type: 'agent',
      resource_id: (await freshAgent(look)).name,
      principal_type: 'user',
      principal_id: 'vt@example.com',
      actions: ['use'],
    },
  }),
  'permissions.revoke': async (_, look) => {
    const { asset_id } = await freshAgent(look);
    const entry = await app.db.one<{ id: string }>(
      sql`select id from permission where asset_id = ${asset_id} and principal_type = 'team'`,
    );
    return { params: { id: entry?.id ?? nothing } };
  },
  'permissions.check': (at) => ({ query: { resource_type: 'agent', resource_id: at.agent.name, action: 'use' } }),
  'permissions.explain': (at, look) => ({
    query: {
      resource_type: 'agent',
      resource_id: at.agent.name,
      action: 'write',
      ...(look === 'other' ? { principal: 'user:ow@example.com' } : {}),
    },
  }),
  'approvals.list': () => ({}),
  'approvals.submit': async (_, look) => ({ body: { asset: (await freshAgent(look)).ref } }),
  'approvals.show': (at) => ({ params: { id: at.approval_id } }),
  'approvals.approve': async (_, look) => ({ params: { id: await submitted(await freshAgent(look)) }, body: {} }),
  'approvals.reject': async (_, look) => ({ params: { id: await submitted(await freshAgent(look)) }, body: {} }),
  'approvals.withdraw': async (_, look) => ({ params: { id: await submitted(await freshAgent(look)) } }),
  'approvals.revoke': async (_, look) => ({ params: { id: await approved(await freshAgent(look)) }, body: {} }),
  'home.show': (_, look) => (look === 'team' ? { query: { team: 'ml' } } : {}),
  'events.follow': () => ({}),
  'notifications.list': () => ({}),
  'notifications.count': () => ({}),
  'notifications.read': () => ({ body: { ids: [nothing] } }),
  'approvals.comment': (at) => ({ params: { id: at.approval_id }, body: { message: 'why?' } }),
  'secrets.list': () => ({}),
  'secrets.set': (at, look) => ({ body: { ...secretScope(at, look), name: 'MATRIX_KEY', value: 'a value' } }),
  'secrets.move': async (at, look) => ({ params: { id: await freshSecret(at, look) } }),
  'secrets.remove': async (at, look) => ({ params: { id: await freshSecret(at, look) } }),
  'deployments.list': () => ({}),
  'deployments.plan': (at) => ({ body: { ref: at.agent.ref } }),
  'deployments.create': async (at, look) => ({
    body: { ref: look === 'draft' ? (await freshAgent('org')).ref : at.idle.ref },
  }),
  'deployments.show': (at) => ({ params: { id: at.deployment_id } }),
  'deployments.files': (at) => ({ params: { id: at.deployment_id } }),
  'deployments.events': (at) => ({ params: { id: at.deployment_id } }),
  'deployments.cancel': async (_, look) => {
    const agent = await freshApproved(look);
    const { id } = await app.admin.client.call('deployments.create', { body: { ref: agent.ref } });
    return { params: { id } };
  },
  'agents.statuses': () => ({}),
  'agents.status': (at) => ({ params: { name: at.agent.name } }),
  'agents.logs': (at) => ({ params: { name: at.idle.name } }),
  'agents.events': (at) => ({ params: { name: at.agent.name } }),
  'agents.stop': (at) => ({ params: { name: at.agent.name } }),
  'agents.start': (at) => ({ params: { name: at.agent.name } }),
  'agents.restart': (at) => ({ params: { name: at.agent.name } }),
  'agents.scale': (at) => ({ params: { name: at.agent.name }, body: { instances: 2 } }),
  'agents.rollback': (at) => ({ params: { name: at.agent.name }, body: {} }),
  'agents.set_target': (at) => ({ params: { name: at.agent.name }, body: { target: 'local' } }),
  'agents.delete': async (_, look) => ({ params: { name: (await freshAgent(look)).name } }),
  ...invokeRequests(runOf),
  ...threadRequests({ app: () => app, labelOf, threadOf, userToChange }),
  ...langgraphRequests({ app: () => app, threadOf, runOf }),
  'orchestrations.check': (at) => ({ params: { name: at.orchestration } }),
  'orchestrations.deploy': (at) => ({ params: { name: at.orchestration }, body: {} }),
  'orchestrate.call': (at) => ({ params: { name: at.orchestration }, body: invoked }),
  'orchestrate.stream': (at) => ({ params: { name: at.orchestration }, body: invoked }),
  'orchestrate.input': (at) => ({ params: { name: at.orchestration } }),
  'orchestrate.runs': (at) => ({ params: { name: at.orchestration } }),
  'orchestrate.run': orchestrationRun,
  'orchestrate.cancel': orchestrationRun,
  'a2a.card': (at) => ({ params: { name: at.agent.name } }),
  'a2a.rpc': (at) => ({ params: { name: at.agent.name }, body: a2aRequest }),
  'a2a.send': (at) => ({ params: { name: at.agent.name }, body: a2aRequest.params }),
  'a2a.stream': (at) => ({ params: { name: at.agent.name }, body: a2aRequest.params }),
  'a2a.tasks': (at) => ({ params: { name: at.agent.name } }),
  'a2a.task': async (at, look, actor) => await taskOf(look, actor, at, true),
  'a2a.cancel': async (at, look, actor) => await taskOf(look, actor, at, true),
  'a2a.subscribe': async (at, look, actor) => await taskOf(look, actor, at, false),
  'a2a.watch': async (at, look, actor) => await taskOf(look, actor, at, false),
  ...orchestrationA2a(
    async (at, look, actor) => await orchestrations.orchestrationTaskOf(app, at.orchestration, labelOf(look, actor)),
  ),
  'webhooks.list': () => ({}),
  'webhooks.create': () => ({ body: deafWebhook(fresh('webhook')) }),
  'webhooks.show': async () => ({ params: { name: await makeWebhook(app, fresh('webhook')) } }),
  'webhooks.delete': async () => ({ params: { name: await makeWebhook(app, fresh('webhook')) } }),
  'webhooks.rotate': async () => ({ params: { name: await makeWebhook(app, fresh('webhook')) }, body: {} }),
  'webhooks.test': async () => ({ params: { name: await makeWebhook(app, fresh('webhook')) } }),
  'webhooks.deliveries': async () => ({ params: { name: await makeWebhook(app, fresh('webhook')) } }),
  'webhooks.redeliver': async () => ({ params: await makeDeadDelivery(app, fresh('webhook')) }),
  ...readingGrants(() => app),
  'audit.list': () => ({}),
  'audit.follow': () => ({}),
  'audit.export': () => ({}),
  'audit.verify': () => ({}),
  'audit.prove': () => ({ params: { chain: 'governance', seq: '1' } }),
  'audit.key': () => ({}),
};

async function send(name: EndpointName, { params = {}, query = {}, body }: Sent, proof: Proof | undefined) {
  const endpoint: Endpoint = endpoints[name];
  const type = typeof endpoint.body === 'string' ? contentTypes[endpoint.body] : 'application/json';
  const response = await fetch(endpointUrl(app.url, endpoint, params, query), {
    method: endpoint.method,
    headers: {
      ...of_own_page,
      ...proof,
      'a2a-version': '1.0',
      ...(endpoint.body !== undefined && { 'content-type': type }),
    },
    ...(endpoint.body === undefined ? {} : { body: body instanceof Blob ? body : JSON.stringify(body) }),
  });
  const isRefusal = response.headers.get('content-type') === 'application/problem+json';
  const problem = isRefusal ? ((await response.json()) as Record<string, unknown>) : undefined; // every refusal is a problem document
  if (!isRefusal) await response.body?.cancel();
  return { status: response.status, problem };
}

const neighbour = (actor: Actor): EndpointName =>
  ['an', 'ga', 'ex', 'di'].includes(actor) ? 'service.livez' : actor === 'fl' ? 'auth.me' : 'teams.list';

test('the table names every route, every column is an actor, and every cell is filled', () => {
  expect([...new Set(rows.map(({ name }) => name))].toSorted()).toEqual(Object.keys(endpoints).toSorted());
  expect(columns).toEqual(Object.keys(actors));
  expect(rows.filter(({ expected }) => Object.values(expected).some((status) => !(status >= 200)))).toEqual([]);
});

test('every route about one subject is also tested with a hidden one, except routes for platform admins only', () => {
  const of_one = rows.filter(({ name }) => endpoints[name].path.includes('{') && !name.startsWith('service.'));
  const hidden = new Set(rows.filter(({ look }) => look === 'team').map(({ name }) => name));
  // `au` reads the whole log, as they do.
  const open = of_one.filter(({ expected: { pa: _, au: __, ...others } }) =>
    Object.values(others).some((status) => status < 400 || status === 404),
  );
  // Lists of a kind have no single subject: access/hidden.test.ts tests them. What a person has allowed: login/clients/attacks.test.ts.
  const others = open.filter(({ name }) => !hidden.has(name) && !name.startsWith('clients.'));
  expect([...new Set(others.map(({ name }) => name))]).toEqual(['registry.list']);
});

// They end sessions, so they come last, and without a browser: login/browser-session.test.ts has that.
const ending = ['auth.change_password', 'auth.revoke'];
// The way identifies the caller, and the look chooses the decision. So a browser asks for one look of each endpoint.
const isFirstLook = (row: (typeof rows)[number]) => rows.find(({ name }) => name === row.name) === row;
const takesCookies = ({ name }: (typeof rows)[number]) =>
  surfaces[(endpoints[name] as Endpoint).surface ?? 'api'].ways.includes('cookie');
const walked = rows.flatMap((row) => [
  ...(ending.includes(row.name) || !isFirstLook(row) || !takesCookies(row)
    ? []
    : [{ ...row, way: 'in a browser' as const }]),
  { ...row, way: 'with a bearer token' as const },
]);

/** Before and after the walk. So each refusal in it comes from the rule, not from a broken fixture or an ended session. */
async function everyActorIsKnown(): Promise<void> {
  for (const proofsOfWay of Object.values(proofs))
    for (const actor of columns.filter((one) => proofsOfWay.has(one)))
      expect([actor, (await send(neighbour(actor), {}, proofsOfWay.get(actor))).status]).toEqual([actor, 200]);
}

test('every actor may make a request each way', everyActorIsKnown);

const isAnswered = ({ name, look, way, expected }: (typeof walked)[number]) => {
  test('gives each caller the answer of the table', async () => {
    const isOwn = /^(auth|invoke|threads|langgraph|orchestrate|a2a|orchestrate_a2a)\./.test(name);
    const answered: Partial<Record<Actor, number>> = {};
    let unused: Sent | undefined;
    const asked = columns.filter((actor) => proofs[way].has(actor));
    for (const actor of asked) {
      const proof = proofs[way].get(actor);
      // A refusal leaves the subject unchanged for the next caller.
      const sent =
        (isOwn ? undefined : unused) ?? (await requests[name](subjects[look === 'team' ? 'team' : 'org'], look, actor));
      const { status, problem } = await send(name, sent, proof);
      answered[actor] = status;
      unused = status >= 400 ? sent : undefined;
      if (status < 400 && endpoints[name].method !== 'GET') await endRuns();
      if (status === 404 && look === 'team') {
        const unknown = await send(name, aboutNothing(sent), proof);
        const same = { status: unknown.status, ...unknown.problem, request_id: '' };
        expect({ status, ...problem, request_id: '' }).toEqual(same);
      }
    }
    expect(answered).toEqual(Object.fromEntries(asked.map((actor) => [actor, expected[actor]])));
  });
};

describe.each(walked.filter(({ name }) => !ending.includes(name)))('$name $look $way', (row) => {
  isAnswered(row);
});
test('every actor still may after these refusals', everyActorIsKnown);

describe.each(walked.filter(({ name }) => ending.includes(name)))('$name $look $way', (row) => {
  isAnswered(row);
});
