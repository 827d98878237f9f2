// Two services on one database: what one of them does to a knowledge base acts on the next search at the other.
import { createClient, type Client } from '@gantry/contract/client/client.ts';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { embeddingConfig, realEmbeddings, type RealEmbeddings } from '../server/src/testing/models/real-embeddings.ts';
import { heldProxy, type HeldProxy } from './held-proxy.ts';
import { openServices, type Services } from './services.ts';

let model: RealEmbeddings;
let vectors: HeldProxy;
let services: Services;
beforeAll(async () => {
  model = await realEmbeddings();
  vectors = await heldProxy(`http://${model.host}`);
  services = await openServices({
    count: 2,
    roles: 'api,worker,ingress,gateway',
    env: { OUTBOUND_PRIVATE_HOSTS: vectors.host },
  });
});
afterAll(async () => {
  await services?.stop();
  await vectors?.stop();
  await model?.stop();
});

const readers = ['user:bob@example.com'];
/** It has more passages than a search compares with those found by words, so it would hide the others if its vectors were still there. */
const leave = Array.from(
  { length: 60 },
  (_, n) => `# Rule ${n}\n\nEmployees get ${20 + n} days of paid leave each year.\n`,
).join('\n');
const documents = [
  { title: 'leave', text: leave },
  { title: 'trips', text: 'Staff on the road get a paid room for the night.' },
  { title: 'bonus', text: 'Each member of staff gets a paid day off at Christmas.', readers },
];
const configOf = (more: object) => ({ documents, ...more }) as object as Record<string, string>;
const question = 'How much holiday do workers have?';

test('one refresh runs at a time, and a snapshot, a right and an erasure of one service act at once at the other', async () => {
  const [here, there] = [services.admin(0), services.admin(1)];
  await createAll(here);
  const bob = await signIn('bob@example.com', 1);
  const found = async (who: Client) => {
    const body = { query: question, limit: 100 };
    const answer = await who.call('knowledge.search_index', { params: { name: 'meaning' }, body });
    expect(answer.notices).toEqual([]);
    const paths = [...new Set(answer.passages.map(({ path }) => path))].toSorted();
    return { paths, snapshots: answer.searched.map(({ snapshot }) => snapshot) };
  };

  await ended(here, (await here.call('knowledge.refresh', { params: { name: 'handbook' } })).id);
  const { id } = await here.call('knowledge.refresh_index', { params: { name: 'meaning' } });
  await ended(here, id);
  expect(await found(there)).toEqual({ paths: ['leave'], snapshots: [1] });

  // The vectors of the new snapshot wait, so that the second request meets the first refresh.
  vectors.hold(['Christmas']);
  await here.call('registry.edit', {
    params: { kind: 'knowledge-base', name: 'handbook' },
    body: { version: '1.0.1', config: configOf({}) },
  });
  await refreshed(here, there, async () => {
    await expect.poll(() => vectors.held()).toEqual(['Christmas']);
    vectors.open();
  });
  expect((await found(bob)).snapshots).toEqual([2]);
  expect((await found(bob)).paths).toContain('bonus');
  expect((await found(there)).paths).not.toContain('bonus');

  await here.call('registry.edit', {
    params: { kind: 'knowledge-base', name: 'handbook' },
    body: { version: '1.0.2', config: configOf({ rights: [{ documents: 'bonus', readers: [] }] }) },
  });
  expect((await found(bob)).paths).toEqual(['leave']);

  await here.call('knowledge.erase', { params: { name: 'handbook' }, body: { path: 'leave' } });
  expect(await found(bob)).toEqual({ paths: ['trips'], snapshots: [2] });
});

/** Both are asked: one begins, and the other says which one runs. */
async function refreshed(here: Client, there: Client, meanwhile: () => Promise<void>): Promise<void> {
  const ask = async (client: Client) => await client.call('knowledge.refresh', { params: { name: 'handbook' } });
  const asked = await Promise.allSettled([ask(here), ask(there)]);
  const begun = asked.flatMap((one) => (one.status === 'fulfilled' ? [one.value.id] : []));
  const refused = asked.flatMap((one) => (one.status === 'rejected' ? [one.reason as unknown] : []));
  expect(begun).toHaveLength(1);
  expect(refused).toMatchObject([{ code: 'conflict', detail: expect.stringContaining(begun[0] ?? '') as string }]);
  await meanwhile();
  for (const id of begun) await ended(here, id);
}

async function ended(client: Client, id: string): Promise<void> {
  for await (const { data } of await client.call('refreshes.events', { params: { id } }))
    if (data.kind === 'end') break;
  const { state, problem } = await client.call('refreshes.show', { params: { id } });
  expect([state, problem]).toEqual(['done', null]);
}

async function createAll(admin: Client): Promise<void> {
  const create = async (kind: 'model' | 'knowledge-base' | 'rag-index', name: string, config: object) =>
    await admin.call('registry.create', {
      params: { kind },
      body: { name, team: 'default', visibility: 'org', config: config as Record<string, string> },
    });
  await create('model', 'embed', embeddingConfig(`${vectors.url}/v1`));
  await create('knowledge-base', 'handbook', { documents: documents.slice(0, 1) });
  await create('rag-index', 'meaning', { embedding_model: 'models/embed', knowledge_bases: ['kb/handbook'] });
}

async function signIn(email: string, n: number): Promise<Client> {
  const base_url = services.urls[n] ?? '';
  const { one_time_password: old_password = '' } = await services
    .admin(0)
    .call('users.create', { body: { email, one_time_password: true } });
  const member = { principal: `user:${email}`, role: 'viewer' as const };
  await services.admin(0).call('teams.add_member', { params: { team: 'default' }, body: member });
  const log = async (password: string) => {
    const { access_token } = await createClient({ base_url, token: () => undefined }).call('auth.login', {
      body: { email, password },
    });
    return createClient({ base_url, token: () => access_token });
  };
  const new_password = 'a password of the tests';
  await (await log(old_password)).call('auth.change_password', { body: { old_password, new_password } });
  return await log(new_password);
}
