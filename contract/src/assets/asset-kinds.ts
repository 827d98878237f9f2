import type { AssetKind } from '../roles.ts';

/** The kinds with a config in one form for all. An agent has its agent.yaml, and a skill has files beside its config. */
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
  'skill',
] as const satisfies readonly Exclude<AssetKind, 'agent'>[];
export type ConfiguredKind = (typeof configuredKinds)[number];

/** Those without files. A request with their config makes them. */
export const configOnlyKinds = configuredKinds.filter((kind) => kind !== 'skill');
export type ConfigOnlyKind = (typeof configOnlyKinds)[number];
