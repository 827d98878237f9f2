// The readable names of the kinds of assets, with one example each: their commands are all the same.
import type { ConfiguredKind } from '@gantry/contract/asset-kinds.ts';
import type { AssetKind } from '@gantry/contract/roles.ts';

interface KindWords {
  plural: string;
  example: string;
  /** The command that creates the first one. */
  first: string;
}

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
};

function made(kind: ConfiguredKind, plural: string, example: string, config: string): KindWords {
  return { plural, example, first: `svc registry ${kind} create ${example} --config '${config}'` };
}
