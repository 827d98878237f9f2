// The content of the fuzzed service. One team has recognizable hidden words and secrets. The callers' team has objects that they may
// change. There is no container engine.
import type { Client } from '@gantry/contract/client/client.ts';
import { standInFor } from '../agents/agent-stand-in.ts';
import { deaf_host, deafWebhook } from '../stored/make-webhook.ts';
import { projectOf, type TestProject } from '../pushes/project-archive.ts';
import { storeAgent } from '../stored/stored-agent.ts';
import { testApp, type TestApp, type TestUser } from '../test-app.ts';

export type FuzzActor = 'anonymous' | 'viewer' | 'contributor' | 'machine' | 'admin';

export interface FuzzStage {
  app: TestApp;
  tokens: Record<FuzzActor, string | null>;
  /** See FuzzPlan. */
  known: Record<string, unknown[]>;
  /** Readable only for the other team and platform admins. */
  hidden: Record<string, string>;
  /** Readable for nobody. */
  secret: Record<string, string>;
  archives: string[];
  close(): Promise<void>;
}

const words = (mark: string) => ({
  'the name of an asset': `${mark}name`,
  'the description of an asset': `${mark}description`,
  'a tag of an asset': `${mark}tag`,
  'the config of an asset': `${mark}config`,
  'a file of an agent': `${mark}file`,
  'the message of a request': `${mark}message`,
  'the reason of a decision': `${mark}reason`,
  'a comment on a request': `${mark}comment`,
  'the description of a group': `${mark}group`,
  'the description of a service principal': `${mark}principal`,
});
type Words = ReturnType<typeof words>;

const hidden = words('canary7q');
const plain = words('plain');

export async function openFuzzStage(onLog?: (line: string) => void): Promise<FuzzStage> {
  const config = { engine_host: 'unix:///nowhere/docker.sock', outbound_private_hosts: [deaf_host] };
  const app = await testApp({ config, ...(onLog === undefined ? {} : { onLog }) });
  const theirs = await fillTheirTeam(app);
  const { tokens, ...ours } = await fillOurTeam(app);
  return {
    app,
    tokens,
    known: merge(theirs.known, ours.known),
    hidden,
    secret: theirs.secret,
    archives: await Promise.all(
      ['ours', 'theirs'].map(async (team) => await packed({ name: `${team}-asset`, team, version: '1.2.0' })),
    ),
    close: async () => await app.stop(),
  };
}

async function fillTheirTeam(app: TestApp) {
  const admin = app.admin.client;
  const password = 'canary7qpassword';
  const owner = await app.user('owner@example.com', { password, teams: { theirs: 'contributor' } });
  const filled = await fillWith(app, owner, { team: 'theirs', visibility: 'private', says: hidden });
  await makePrompt(owner.client, hidden['the name of an asset'], {
    team: 'theirs',
    visibility: 'private',
    says: hidden,
  });
  // Everybody may read the asset, but only its team may read the request's words.
  const open = await storeAgent(app, owner.email, { name: 'open-agent', team: 'theirs' });
  const asked = await askFor(owner.client, open.ref, hidden);
  const decision = { reason: hidden['the reason of a decision'] };
  await admin.call('approvals.approve', { params: { id: asked }, body: decision });
  const { key = '' } = await admin.call('principals.create', { body: { name: 'their-machine', team: 'theirs' } });
  const { secret = '' } = await admin.call('webhooks.create', { body: deafWebhook('hook') });
  const known = {
    '/api/v1/rbac/approvals/{id}': [asked],
    name: ['open-agent'],
    '/api/v1/webhooks/{name}': ['hook'],
    asset: [open.ref],
  };
  return {
    known: merge(filled, known),
    secret: { 'a password': password, 'the key of a service principal': key, 'the secret of a webhook': secret },
  };
}

async function fillOurTeam(app: TestApp) {
  const viewer = await app.user('viewer@example.com', { teams: { ours: 'viewer' } });
  const contributor = await app.user('contributor@example.com', { teams: { ours: 'contributor' } });
  const spare = await app.user('spare@example.com', { teams: { ours: 'viewer' } });
  const filled = await fillWith(app, contributor, { team: 'ours', visibility: 'org', says: plain });
  const serving = await storeAgent(app, contributor.email, { name: 'serving-agent', team: 'ours' });
  await standInFor(app, serving, (_, response) => {
    response.setHeader('content-type', 'application/json');
    response.end('{"output":{},"status":"ready","in_flight":0}');
  });
  const body = { name: 'machine', team: 'ours', role: 'deployer' as const, allowed_assets: ['*/*'] };
  const { key = '' } = await app.admin.client.call('principals.create', { body });
  const { access_token } = await app.anonymous.call('auth.exchange_key', { body: { key } });
  const { items: users } = await app.admin.client.call('users.list', { query: {} });
  const known = {
    name: ['serving-agent'],
    ref: [serving.ref],
    asset: [serving.ref],
    owner: [contributor.email],
    email: [spare.email],
    password: [spare.password],
    key: [key],
    principal: [`user:${spare.email}`],
    principal_id: [spare.email],
    version: ['1.0.0', '1.0.1'],
    // Never a caller: a removal of one would end the fuzzing.
    '/api/v1/users/{id}': users.filter(({ email }) => email === spare.email).map(({ id }) => id),
    chain: ['governance'],
    seq: [1],
  };
  return {
    tokens: {
      anonymous: null,
      viewer: viewer.token,
      contributor: contributor.token,
      machine: access_token,
      admin: app.admin.token,
    },
    known: merge(filled, known),
  };
}

interface Standing {
  team: string;
  visibility: 'private' | 'org';
  says: Words;
}

/** Gives a team one object of each kind. Returns their names and ids. */
async function fillWith(app: TestApp, owner: TestUser, standing: Standing): Promise<FuzzStage['known']> {
  const { team, visibility, says } = standing;
  const admin = app.admin.client;
  // One name for both kinds, so that it exists in both.
  const name = `${team}-asset`;
  const project = { name, team, yaml: yamlOf(standing), files: { 'notes.txt': says['a file of an agent'] } };
  const agent = await storeAgent(app, owner.email, project);
  const waiting = await askFor(owner.client, agent.ref, says);
  await makePrompt(owner.client, name, standing);
  const decided = await askFor(owner.client, `prompts/${name}`, says);
  const decision = { reason: says['the reason of a decision'] };
  await admin.call('approvals.reject', { params: { id: decided }, body: decision });
  const push = await owner.client.call('agents.push', {
    params: { name },
    query: {},
    body: projectOf({ ...project, version: '1.1.0' }),
  });
  const group = await admin.call('groups.create', {
    body: { name: `${team}-group`, team, description: says['the description of a group'] },
  });
  const principal = await admin.call('principals.create', {
    body: { name: `${team}-robot`, team, description: says['the description of a service principal'] },
  });
  const { items } = await admin.call('permissions.list', { query: { resource_type: 'agent', resource_id: name } });
  return {
    '/api/v1/rbac/approvals/{id}': [waiting, decided],
    '/api/v1/pushes/{id}': [push.id],
    '/api/v1/rbac/groups/{id}': [group.id],
    '/api/v1/rbac/service-principals/{id}': [principal.id],
    '/api/v1/rbac/permissions/{id}': items.map(({ id }) => id),
    name: [name],
    kind: ['agent', 'prompt'],
    team: [team],
    asset: [agent.ref, `prompts/${name}`],
    ref: [agent.ref],
    resource_type: ['agent', 'prompt'],
    resource_id: [name, agent.asset_id],
    visibility: [visibility],
  };
}

const yamlOf = ({ visibility, says }: Standing) => `description: ${says['the description of an asset']}
tags: [${says['a tag of an asset']}]
access: {visibility: ${visibility}}
deploy: {env_vars: {SAID: ${says['the config of an asset']}}}
`;

async function makePrompt(owner: Client, name: string, { team, visibility, says }: Standing): Promise<void> {
  await owner.call('registry.create', {
    params: { kind: 'prompt' },
    body: {
      name,
      team,
      visibility,
      description: says['the description of an asset'],
      tags: [says['a tag of an asset']],
      config: { template: says['the config of an asset'] },
    },
  });
}

async function askFor(owner: Client, asset: string, says: Words): Promise<string> {
  const { id } = await owner.call('approvals.submit', { body: { asset, message: says['the message of a request'] } });
  await owner.call('approvals.comment', { params: { id }, body: { message: says['a comment on a request'] } });
  return id;
}

async function packed(project: TestProject): Promise<string> {
  return Buffer.from(await new Response(projectOf(project)).arrayBuffer()).toString('base64');
}

function merge(one: FuzzStage['known'], other: FuzzStage['known']): FuzzStage['known'] {
  const names = [...new Set([...Object.keys(one), ...Object.keys(other)])];
  return Object.fromEntries(names.map((name) => [name, [...new Set([...(one[name] ?? []), ...(other[name] ?? [])])]]));
}
