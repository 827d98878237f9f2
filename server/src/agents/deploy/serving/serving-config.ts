// What the config of a serving version says about each call.
import { LRUCache } from 'lru-cache';
import type { AgentConfig } from '@gantry/project/agent-yaml.ts';
import { scalingOf } from '@gantry/project/agent-yaml/scaling.ts';
import { guardrailsOf } from '@gantry/contract/guardrails.ts';
import { parsePrincipal } from '@gantry/contract/refs.ts';
import type { Reader } from '../../../ground/database/database.ts';
import { makeRules } from '../../../models/guardrails/make-rules.ts';
import type { Rule } from '../../../models/guardrails/rule.ts';
import { loadAgentConfig } from '../../../assets/registry/versions/load-version-content.ts';

export interface ServingConfig {
  version: string;
  /** access.allowed_callers, as team names. Undefined when the file names none. */
  allowed_teams: string[] | undefined;
  rules: readonly Rule[];
  deploy: Pick<NonNullable<AgentConfig['deploy']>, 'tracing' | 'secrets'>;
  /** Without calls it has no container, and a call starts one. */
  sleeps: boolean;
  /** It calls subagents or tools, searches, or reads prompts: all of them ask whether its run is open. */
  calls_others: boolean;
  /** `files` of its agent.yaml. Undefined: files are not checked. */
  files: readonly string[] | undefined;
}

const max_versions = 10_000;
// A serving version has final content.
const read = new LRUCache<string, ServingConfig>({ max: max_versions });

export async function servingConfig(db: Reader, version_id: string): Promise<ServingConfig> {
  const known = read.get(version_id);
  if (known !== undefined) return known;
  const {
    version,
    access,
    guardrails,
    model,
    deploy,
    files,
    subagents = [],
    mcp_servers = [],
    knowledge_bases = [],
    prompts = {},
    tools = [],
  } = await loadAgentConfig(db, version_id);
  const config = {
    version,
    allowed_teams: access?.allowed_callers?.flatMap((caller) => parsePrincipal(caller)?.name ?? []),
    rules: makeRules(guardrailsOf(guardrails), model?.primary),
    deploy: { tracing: deploy?.tracing, secrets: deploy?.secrets },
    sleeps: scalingOf({ deploy }).min === 0,
    calls_others:
      [...subagents, ...mcp_servers, ...knowledge_bases, ...Object.keys(prompts)].length > 0 ||
      tools.some((tool) => 'ref' in tool),
    files,
  };
  read.set(version_id, config);
  return config;
}
