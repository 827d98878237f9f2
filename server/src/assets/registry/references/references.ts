// The references of an agent or a config, and the demands on their targets.
import type { AgentConfig } from '@gantry/project/agent-yaml.ts';
import { referencesIn } from '@gantry/project/asset-config.ts';
import type { ConfiguredKind } from '@gantry/contract/assets/asset-kinds.ts';
import { parseRef, type AssetRef } from '@gantry/contract/refs.ts';

export interface References {
  self: AssetRef;
  references: Reference[];
}

export interface Reference {
  ref: string;
  pointer: string;
  file?: string;
  /** The reason why the target's config does not fit. */
  unfit?: (config: Record<string, unknown>, ref: string) => string | undefined;
}

export function referencesOfAgent(config: AgentConfig): References {
  const lists = {
    tools: config.tools,
    subagents: config.subagents,
    knowledge_bases: config.knowledge_bases,
    mcp_servers: config.mcp_servers,
  };
  const references = Object.entries(lists).flatMap(([field, entries]) =>
    (entries ?? []).flatMap((entry, index): Reference[] => {
      if (!('ref' in entry)) return [];
      const transport = 'transport' in entry ? entry.transport : undefined;
      return [
        {
          ref: entry.ref,
          pointer: `/${field}/${index}`,
          file: 'agent.yaml',
          ...(typeof transport === 'string' ? { unfit: otherThan('transport', transport) } : {}),
        },
      ];
    }),
  );
  return { self: { kind: 'agent', name: config.name }, references };
}

/** `pointer` is the place in the request body. */
export function referencesOfConfig(
  self: AssetRef & { kind: ConfiguredKind },
  config: Record<string, unknown>,
): References {
  const modelType = self.kind === 'rag-index' ? 'embedding' : 'chat';
  const references = referencesIn(self.kind, config).map(({ ref, pointer }): Reference => ({
    ref,
    pointer: `/config${pointer}`,
    ...(parseRef(ref)?.kind === 'model' ? { unfit: otherThan('type', modelType) } : {}),
  }));
  return { self, references };
}

function otherThan(field: string, wanted: string): Required<Reference>['unfit'] {
  return (config, ref) =>
    config[field] === wanted ? undefined : `${ref} has ${field} ${String(config[field])}, but ${wanted} is needed`;
}
