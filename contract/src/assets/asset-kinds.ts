import type { AssetKind } from '../roles.ts';

/** The kinds whose content is only a config; an agent is pushed with its files. */
export const configuredKinds = [
  'prompt',
  'tool',
  'memory-config',
  'rag-index',
  'knowledge-base',
  'model',
  'mcp-server',
  'orchestration',
  'target',
] as const satisfies readonly Exclude<AssetKind, 'agent'>[];
export type ConfiguredKind = (typeof configuredKinds)[number];
