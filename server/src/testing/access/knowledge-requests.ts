// Each request is about a knowledge base or a RAG index of its own.
import type { Client } from '@gantry/contract/client/client.ts';
import type { ConfigOnlyKind } from '@gantry/contract/assets/asset-kinds.ts';
import { storeSnapshot } from '../stored/stored-snapshot.ts';
import { nothing } from './about-nothing.ts';
import type { TestApp } from '../test-app.ts';

interface By {
  app: () => TestApp;
  admin: () => Client;
  owner: () => string;
  create: (
    kind: ConfigOnlyKind,
    look: string,
    more: { owner?: string; config: object },
  ) => Promise<{ params: { name: string } }>;
}

export function knowledgeRequests({ app, admin, owner, create }: By) {
  const base = async (_: unknown, look: string) =>
    await create('knowledge-base', look, {
      owner: owner(),
      config: { documents: [{ title: 'page', text: 'a word' }], language: 'en', uploads: true },
    });
  const index = async (_: unknown, look: string) => {
    const { name } = (await base(undefined, look)).params;
    const model = await create('model', look, { config: { provider: 'acme', model: 'small', type: 'embedding' } });
    const config = { embedding_model: `models/${model.params.name}`, knowledge_bases: [`kb/${name}`] };
    return await create('rag-index', look, { owner: owner(), config });
  };
  const serving = async (_: unknown, look: string) => {
    const { name } = (await base(undefined, look)).params;
    return { name, document: await storeSnapshot(app(), { base: name }) };
  };
  const begun = async (_: unknown, look: string) => {
    const { params } = await base(undefined, look);
    const { id } = await admin().call('knowledge.refresh', { params });
    return { params: { id } };
  };
  const one = async (_: unknown, look: string) => ({ params: { name: (await serving(_, look)).name, number: '1' } });
  return {
    'knowledge.refresh': base,
    'knowledge.refresh_index': index,
    'refreshes.show': begun,
    'refreshes.events': begun,
    'refreshes.cancel': begun,
    'knowledge.snapshots': base,
    'knowledge.snapshot': one,
    // Its document has no chunks.
    'knowledge.serve': one,
    'knowledge.uploads': base,
    'knowledge.upload': async (_: unknown, look: string) => ({
      ...(await base(_, look)),
      query: { path: 'a.md' },
      body: Buffer.from('a word'),
    }),
    'knowledge.delete_upload': async (_: unknown, look: string) => {
      const sent = { ...(await base(_, look)), query: { path: 'a.md' } };
      await admin().call('knowledge.upload', { ...sent, body: Buffer.from('a word') });
      return sent;
    },
    'knowledge.upkeep': base,
    'knowledge.create_hook': base,
    'knowledge.delete_hook': async (_: unknown, look: string) => {
      const made = await base(_, look);
      await admin().call('knowledge.create_hook', made);
      return made;
    },
    // No caller of the table has the secret.
    'knowledge.call_hook': () => ({ params: { id: nothing }, body: Buffer.from('{}') }),
    'knowledge.search': async (_: unknown, look: string) => ({
      params: { name: (await serving(_, look)).name },
      body: { query: 'word' },
    }),
    'knowledge.search_index': async (_: unknown, look: string) => ({
      ...(await index(_, look)),
      body: { query: 'word' },
    }),
    'knowledge.why': async (_: unknown, look: string) => ({
      params: { name: (await serving(_, look)).name },
      body: { query: 'word' },
    }),
    'knowledge.why_index': async (_: unknown, look: string) => ({
      ...(await index(_, look)),
      body: { query: 'word' },
    }),
    // Its config has no questions.
    'knowledge.test': async (_: unknown, look: string) => ({
      params: { name: (await serving(_, look)).name },
      body: {},
    }),
    'knowledge.erase': async (_: unknown, look: string) => ({
      params: { name: (await serving(_, look)).name },
      body: { path: 'page' },
    }),
    'knowledge.text': async (_: unknown, look: string) => ({ params: await serving(_, look) }),
  };
}
