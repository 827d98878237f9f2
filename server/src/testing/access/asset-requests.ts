import { clientRequests } from './client-requests.ts';
import { knowledgeRequests } from './knowledge-requests.ts';
import { mcpRequests } from './mcp-requests.ts';
import { promptRequests } from './prompt-requests.ts';
import type { Client } from '@gantry/contract/client/client.ts';
import type { ConfigOnlyKind } from '@gantry/contract/assets/asset-kinds.ts';
import { storeAsk, storeConnection } from '../stored/stored-connection.ts';
import { storeQuestion } from '../stored/stored-question.ts';
import { storeCall } from '../stored/stored-call.ts';
import type { TestApp } from '../test-app.ts';
import { engineAt } from '../pushes/asset-configs.ts';

interface By {
  app: () => TestApp;
  admin: () => Client;
  /** The e-mail of the owner of models. */
  owner: () => string;
  fresh: (what: string) => string;
}

interface At {
  agent: { name: string };
}

/** For the route matrix: each request is about a model, a target or an MCP server of its own. */
export function assetRequests({ app, admin, owner, fresh }: By) {
  const create = async (kind: ConfigOnlyKind, look: string, more: { owner?: string; config: object }) => {
    const name = fresh(kind);
    const visibility = look === 'team' ? ('team' as const) : ('org' as const);
    const config = more.config as Record<string, never>; // any JSON, as from a client
    const body = { name, team: 'ml', visibility, ...more, config };
    await admin().call('registry.create', { params: { kind }, body });
    return { params: { name } };
  };
  // It has no address, so its test calls nothing.
  const model = async (_: unknown, look: string) =>
    await create('model', look, { owner: owner(), config: { provider: 'acme', model: 'large' } });
  const target = async (_: unknown, look: string) =>
    await create('target', look, { config: engineAt('tcp://127.0.0.1:1') });
  const server = async (_: unknown, look: string) =>
    await create('mcp-server', look, {
      owner: owner(),
      config: { transport: 'streamable-http', url: 'http://127.0.0.1:1/mcp' },
    });
  const prompt = async (_: unknown, look: string) =>
    await create('prompt', look, { owner: owner(), config: { template: 'Hello' } });
  const serverAsUser = async (_: unknown, look: string) =>
    await create('mcp-server', look, {
      owner: owner(),
      config: { transport: 'streamable-http', url: 'http://127.0.0.1:1/mcp', as: 'user' },
    });
  // The owner is connected, and an agent asks the owner.
  const ownersAsk = async ({ agent }: At, look: string) => {
    const { name } = (await serverAsUser(undefined, look)).params;
    await storeConnection(app(), { email: owner(), server: name });
    return { name, id: await storeAsk(app(), { email: owner(), server: name, agent: agent.name }) };
  };
  return {
    ...knowledgeRequests({ app, admin, owner, create }),
    ...promptRequests(prompt, admin),
    ...mcpRequests(server),
    ...clientRequests({ anonymous: () => app().anonymous, url: () => app().url }),
    'connections.show': () => ({}),
    'connections.ask': serverAsUser,
    'connections.set_key': async (at: At, look: string) => ({
      params: { id: (await ownersAsk(at, look)).id },
      body: { key: 'a-key' },
    }),
    // Nothing answers at its address.
    'connections.begin': async (at: At, look: string) => ({ params: { id: (await ownersAsk(at, look)).id } }),
    'connections.finish': () => ({ body: { server: 'nothing', state: 'of nobody' } }),
    'connections.client_document': serverAsUser,
    'connections.decide': async (at: At, look: string) => ({
      params: { id: (await ownersAsk(at, look)).id },
      body: { decision: 'allow' as const },
    }),
    'connections.remove': async (at: At, look: string) => ({ params: { name: (await ownersAsk(at, look)).name } }),
    'signing_keys.jwks': () => ({}),
    'signing_keys.rotate': () => ({}),
    'models.show': model,
    'models.test': model,
    'targets.list': () => ({}),
    'targets.show': target,
    'targets.set_credential': async (_: unknown, look: string) => ({
      ...(await target(_, look)),
      body: { certificate: 'a certificate', key: 'a key' },
    }),
    'targets.test': target,
    'targets.drift': target,
    'targets.collect': () => ({}),
    'targets.policy': target,
    'tools.show': server,
    // Nothing answers at its address, and no list of it was read.
    'tools.look': server,
    'tools.pin': async (_: unknown, look: string) => ({
      ...(await server(_, look)),
      body: { digest: 'sha256:0' },
    }),
    'tool_calls.waiting': () => ({}),
    'tool_calls.decide': async ({ agent }: At, look: string) => {
      const { name } = (await server(undefined, look)).params;
      const id = await storeCall(app(), { agent: agent.name, server: name });
      return { params: { id }, body: { decision: 'approve' as const } };
    },
    'tool_questions.waiting': () => ({}),
    // For the owner.
    'tool_questions.answer': async ({ agent }: At, look: string) => {
      const { name } = (await server(undefined, look)).params;
      const id = await storeQuestion(app(), { email: owner(), agent: agent.name, server: name });
      return { params: { id }, body: { action: 'accept' as const, values: {} } };
    },
  };
}
