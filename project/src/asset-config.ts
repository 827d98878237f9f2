// Configs of all assets but agents: text → config, or every fault in it. CLI and service use the same function, so both accept the same
// configs and report the same faults.
import { z } from 'zod';
import { explain, pointerOf, type FileForm } from './agent-yaml/explain.ts';
import type { JsonSchema } from '@gantry/contract/formats/json-schema.ts';
import { knowledgeBase } from './asset-config/knowledge-base.ts';
import { mcpServer } from './asset-config/mcp-server.ts';
import { memoryConfig } from './asset-config/memory-config.ts';
import { model } from './asset-config/model.ts';
import { prompt } from './asset-config/prompt.ts';
import { ragIndex } from './asset-config/rag-index.ts';
import { holdsSecretName, looksLikeSecret } from './asset-config/secret-text.ts';
import { skill } from './asset-config/skill.ts';
import { target } from './asset-config/target.ts';
import { tool } from './asset-config/tool.ts';
import type { ConfiguredKind } from '@gantry/contract/assets/asset-kinds.ts';
import { hasErrors, inOrder, type Finding } from './finding.ts';
import { orchestrationConfig } from './orchestration-yaml/config.ts';
import { readYaml, type YamlSource } from './read-yaml.ts';

const assetConfigs = {
  prompt,
  tool,
  'memory-config': memoryConfig,
  'rag-index': ragIndex,
  'knowledge-base': knowledgeBase,
  model,
  'mcp-server': mcpServer,
  orchestration: orchestrationConfig,
  target,
  skill,
} as const satisfies Record<ConfiguredKind, z.ZodType>;
type AssetConfig<K extends ConfiguredKind> = z.output<(typeof assetConfigs)[K]>;

export interface ParsedAssetConfig<K extends ConfiguredKind> {
  /** Present exactly when no finding is an error; absent fields have their defaults. */
  config?: AssetConfig<K>;
  findings: Finding[];
}

/** YAML, which includes JSON. Never throws, for any text. An empty text is the config of all defaults. */
export function parseAssetConfig<K extends ConfiguredKind>(kind: K, text: string, file: string): ParsedAssetConfig<K> {
  return readAssetConfig(kind, readYaml(text, file));
}

/** The same of a text that is read. */
export function readAssetConfig<K extends ConfiguredKind>(kind: K, source: YamlSource): ParsedAssetConfig<K> {
  if (source.value === undefined) return { findings: inOrder(source.findings) };
  const value = source.value ?? {};
  const parsed = assetConfigs[kind].safeParse(value);
  const wrong = parsed.success ? [] : explain(source, parsed.error.issues, formOf(kind));
  const findings = inOrder([...source.findings, ...wrong, ...secrets(source)]);
  if (!parsed.success || hasErrors(findings)) return { findings };
  return { config: parsed.data as AssetConfig<K>, findings }; // the schema under this very key made it
}

const schemas = new Map<ConfiguredKind, JsonSchema>();

/** JSON Schema draft 7, for editors. Made once: a hostile config would need it for each fault. */
export function assetConfigJsonSchema(kind: ConfiguredKind): JsonSchema {
  const made = schemas.get(kind) ?? {
    title: nameOf(kind),
    ...z.toJSONSchema(assetConfigs[kind], { io: 'input', target: 'draft-7' }),
  };
  schemas.set(kind, made);
  return made;
}

/** The references of a parsed config, with their places. */
export function referencesIn(kind: ConfiguredKind, config: object): { ref: string; pointer: string }[] {
  switch (kind) {
    case 'rag-index': {
      const { embedding_model, rerank_model, knowledge_bases } = config as AssetConfig<'rag-index'>; // parsed as this kind
      const bases = knowledge_bases.map(({ ref }, index) => ({ ref, pointer: `/knowledge_bases/${index}` }));
      const reranker = rerank_model === undefined ? [] : [{ ref: rerank_model.ref, pointer: '/rerank_model' }];
      return [{ ref: embedding_model.ref, pointer: '/embedding_model' }, ...reranker, ...bases];
    }
    case 'memory-config': {
      const { model: summariser, embedding } = config as AssetConfig<'memory-config'>; // parsed as this kind
      return [
        ...(summariser === undefined ? [] : [{ ref: summariser.ref, pointer: '/model' }]),
        ...(embedding === undefined ? [] : [{ ref: embedding.ref, pointer: '/embedding' }]),
      ];
    }
    case 'orchestration': {
      const { agents } = config as AssetConfig<'orchestration'>; // parsed as this kind
      return agents.map(({ ref }, index) => ({ ref, pointer: `/agents/${index}/ref` }));
    }
    default:
      return [];
  }
}

function formOf(kind: ConfiguredKind): FileForm {
  return { name: nameOf(kind), schema: () => assetConfigJsonSchema(kind) };
}

const namesOfFiles: Partial<Record<ConfiguredKind, string>> = {
  orchestration: 'orchestration.yaml',
  skill: 'the front matter of SKILL.md',
};
const nameOf = (kind: ConfiguredKind): string => namesOfFiles[kind] ?? `the config of a ${kind}`;

/** The places of values that look like secrets; the value itself is never shown. */
function secrets(source: YamlSource): Finding[] {
  return textsIn(source.value, []).flatMap(({ path, text }) => {
    const name = String(path.at(-1));
    // These fields hold the name of a secret.
    const isNamed = name !== 'secret' && holdsSecretName(name) && text !== '';
    if (!isNamed && !looksLikeSecret(text)) return [];
    const pointer = pointerOf(path);
    const place = source.places.get(pointer);
    const suggestion =
      'Everybody who may read the asset reads its config. Give `secret` or `secrets` the name of a secret.';
    const message = `\`${path.map(String).join('.').slice(0, 200)}\` looks like a secret`;
    return [source.finding('secret_in_config', place?.value[0] ?? 0, message, { pointer, suggestion })];
  });
}

function textsIn(
  value: unknown,
  path: readonly (string | number)[],
): { path: readonly (string | number)[]; text: string }[] {
  if (typeof value === 'string') return [{ path, text: value }];
  if (Array.isArray(value)) return value.flatMap((each: unknown, index) => textsIn(each, [...path, index]));
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, each]) => textsIn(each, [...path, key]));
}
