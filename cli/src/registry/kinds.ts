// The readable names of the kinds of assets, with one example each: their commands are all the same.
import { configOnlyKinds } from '@gantry/contract/assets/asset-kinds.ts';
import type { AssetKind } from '@gantry/contract/roles.ts';

interface KindWords {
  plural: string;
  example: string;
  /** The command that creates the first one. */
  first: string;
}

/** These come from a file, which decides everything about them but their readers. */
export type PushedKind = 'agent' | 'orchestration' | 'skill';
export const createdKinds = configOnlyKinds.filter((kind) => kind !== 'orchestration');
export type CreatedKind = (typeof createdKinds)[number];

export const isPushed = (kind: AssetKind): kind is PushedKind =>
  kind === 'agent' || kind === 'orchestration' || kind === 'skill';

export const kinds: Record<AssetKind, KindWords> = {
  agent: { plural: 'agents', example: 'greeter', first: 'svc init greeter --framework langgraph' },
  prompt: made('prompt', 'prompts', 'support-tone', '{template: "Be kind and brief."}'),
  tool: made('tool', 'tools', 'web-search', '{type: http, url: https://example.com/search}'),
  'memory-config': made('memory-config', 'memory configs', 'last-hour', '{kind: window, max_messages: 50}'),
  'rag-index': made(
    'rag-index',
    'RAG indexes',
    'handbook',
    '{embedding_model: models/embed, knowledge_bases: [kb/handbook]}',
  ),
  'knowledge-base': made(
    'knowledge-base',
    'knowledge bases',
    'handbook',
    '{documents: [{url: https://example.com/handbook}]}',
  ),
  model: made('model', 'models', 'embed', '{provider: acme, model: acme-embed-2, type: embedding}'),
  'mcp-server': made('mcp-server', 'MCP servers', 'files', '{command: files-server, args: [--read-only]}'),
  orchestration: { plural: 'orchestrations', example: 'support', first: 'svc orchestration push' },
  skill: { plural: 'skills', example: 'invoice-rules', first: 'svc skill push ./invoice-rules' },
  target: {
    plural: 'targets',
    example: 'gpu-box',
    first: 'svc registry target create gpu-box --file gpu-box.yaml',
  },
};

function made(kind: CreatedKind, plural: string, example: string, config: string): KindWords {
  return { plural, example, first: `svc registry ${kind} create ${example} --config '${config}'` };
}
