import { assetKinds, type AssetKind, type Visibility } from '@gantry/contract/roles.ts';

/** As a reader says it, and the purpose of each. */
export const kinds: Readonly<Record<AssetKind, { one: string; about: string }>> = {
  agent: { one: 'agent', about: 'A project that is deployed and answers calls.' },
  prompt: { one: 'prompt', about: 'A text or a conversation with variables.' },
  tool: { one: 'tool', about: 'An action of an agent: a function of its code, or a call of an address.' },
  'memory-config': { one: 'memory config', about: 'How an agent remembers a conversation, and where.' },
  'rag-index': { one: 'RAG index', about: 'Chunks and embeddings of knowledge bases.' },
  'knowledge-base': { one: 'knowledge base', about: 'Documents that agents search.' },
  model: { one: 'model', about: 'A model behind the gateway, with its upstreams and its price.' },
  'mcp-server': { one: 'MCP server', about: 'A server of the Model Context Protocol.' },
  orchestration: { one: 'orchestration', about: 'Several agents that answer a call together.' },
  target: { one: 'target', about: 'Another machine on which agents run.' },
  skill: { one: 'skill', about: 'Instructions and files that agents read.' },
};

export const kindOptions = assetKinds.map((kind) => ({ value: kind, label: kinds[kind].one }));

export function isKind(text: string): text is AssetKind {
  return (assetKinds as readonly string[]).includes(text); // widened only to ask
}

export const readers: Readonly<Record<Visibility, string>> = {
  org: 'everybody in the organisation',
  team: 'its team',
  private: 'those named in its entries',
};
