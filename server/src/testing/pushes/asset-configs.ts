import type { ConfigOnlyKind } from '@gantry/contract/assets/asset-kinds.ts';

/** Two configs of each kind that differ in one field. A test creates their references: `models/embed`, `kb/handbook` and `agents/helper`. */
export const twoConfigs: Record<ConfigOnlyKind, readonly [Record<string, never>, Record<string, never>]> = {
  prompt: pair({ template: 'one' }, { template: 'two' }),
  tool: pair({ type: 'http', url: 'https://example.com/one' }, { type: 'http', url: 'https://example.com/two' }),
  'memory-config': pair({ max_messages: 10 }, { max_messages: 20 }),
  'rag-index': pair(
    { embedding_model: 'models/embed', knowledge_bases: ['kb/handbook'], top_k: 3 },
    { embedding_model: 'models/embed', knowledge_bases: ['kb/handbook'], top_k: 4 },
  ),
  'knowledge-base': pair({ documents: [{ text: 'one' }] }, { documents: [{ text: 'two' }] }),
  model: pair({ provider: 'acme', model: 'one' }, { provider: 'acme', model: 'two' }),
  'mcp-server': pair({ command: 'one' }, { command: 'two' }),
  orchestration: pair(
    { strategy: 'sequential', agents: { helper: { ref: 'agents/helper' } } },
    { strategy: 'parallel', agents: { helper: { ref: 'agents/helper' } } },
  ),
  target: pair(engineAt('tcp://one.example.com:2376'), engineAt('tcp://two.example.com:2376')),
};

/** The config of another machine's engine. */
export function engineAt(address: string) {
  return {
    kind: 'engine',
    address,
    ca: '-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----\n',
    registry: 'https://registry.example.com/agents',
    service_url: 'https://door.example.com',
  };
}

function pair(before: object, after: object) {
  return [before, after] as unknown as readonly [Record<string, never>, Record<string, never>]; // any JSON, as from a client
}
