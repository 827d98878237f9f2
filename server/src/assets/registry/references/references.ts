// The references of an agent or a config, and the demands on their targets.
import type { AgentConfig } from '@gantry/project/agent-yaml.ts';
import { referencesIn } from '@gantry/project/asset-config.ts';
import type { ConfiguredKind } from '@gantry/contract/assets/asset-kinds.ts';
import { reserved_servers } from '@gantry/contract/assets/tools.ts';
import { modelProvider } from '@gantry/project/model-providers.ts';
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
    skills: config.skills,
  };
  const references = Object.entries(lists).flatMap(([field, entries]) =>
    (entries ?? []).flatMap((entry, index): Reference[] => {
      if (!('ref' in entry)) return [];
      const transport = 'transport' in entry ? entry.transport : undefined;
      const unfit =
        field === 'mcp_servers' && Object.hasOwn(reserved_servers, parseRef(entry.ref)?.name ?? '')
          ? reservedName
          : typeof transport === 'string'
            ? otherThan('transport', transport)
            : undefined;
      return [
        {
          ref: entry.ref,
          pointer: `/${field}/${index}`,
          file: 'agent.yaml',
          ...(unfit !== undefined && { unfit }),
        },
      ];
    }),
  );
  return {
    self: { kind: 'agent', name: config.name },
    references: [...references, ...promptsOf(config), ...memoryOf(config)],
  };
}

function promptsOf({ prompts = {} }: AgentConfig): Reference[] {
  return Object.entries(prompts).map(([key, { ref }]) => ({ ref, pointer: `/prompts/${key}`, file: 'agent.yaml' }));
}

/** One that is older than the reservation. */
const reservedName: Required<Reference>['unfit'] = (_, ref) =>
  `${ref} has a name that means ${reserved_servers[parseRef(ref)?.name ?? '']} for agents: create the server under another name`;

function memoryOf({ memory, framework }: AgentConfig): Reference[] {
  if (memory === undefined) return [];
  return [{ ref: memory.ref, pointer: '/memory', file: 'agent.yaml', unfit: notInEffectFor(framework) }];
}

/** A memory config asks for something that the service would not do. */
function notInEffectFor(framework: AgentConfig['framework']): Required<Reference>['unfit'] {
  return ({ kind, store, embedding }, ref) => {
    if (typeof store === 'string' && store !== 'container')
      return `${ref} has store ${store}, and only the agent's own code could keep anything there: give it a checkpointer of its own, and a memory config with \`store: container\``;
    if (framework === 'crewai' && typeof kind === 'string' && kind !== 'buffer')
      return `${ref} has kind ${kind}, which acts on the messages of a graph, and framework crewai has none: take \`kind: buffer\``;
    if (framework === 'crewai' && embedding !== undefined)
      return `${ref} has an embedding, and crewai searches its memories by itself: give the crew an \`embedder\`, and take a memory config without \`embedding\``;
    return undefined;
  };
}

/** `pointer` is the place in the request body. */
export function referencesOfConfig(
  self: AssetRef & { kind: ConfiguredKind },
  config: Record<string, unknown>,
): References {
  const references = referencesIn(self.kind, config).map(({ ref, pointer }): Reference => ({
    ref,
    pointer: `/config${pointer}`,
    ...(parseRef(ref)?.kind === 'model' ? { unfit: otherModelThan(self.kind, pointer) } : {}),
  }));
  return { self, references };
}

function otherModelThan(kind: ConfiguredKind, pointer: string): Required<Reference>['unfit'] {
  if (pointer.startsWith('/embedding')) return otherThan('type', 'embedding');
  if (pointer.startsWith('/rerank')) return otherThan('type', 'rerank');
  return kind === 'memory-config' ? otherThanSummariser : otherThan('type', 'chat');
}

/** The wrapper asks for summaries in the formats of OpenAI and Anthropic. */
const otherThanSummariser: Required<Reference>['unfit'] = (config, ref) =>
  modelProvider(String(config['provider'])).kind === 'gemini'
    ? `${ref} is called in the format of Gemini, and a summary is asked for in the formats of OpenAI and Anthropic`
    : otherThan('type', 'chat')(config, ref);

function otherThan(field: string, wanted: string): Required<Reference>['unfit'] {
  return (config, ref) =>
    config[field] === wanted ? undefined : `${ref} has ${field} ${String(config[field])}, but ${wanted} is needed`;
}
