// The agent.yaml of a project that has none, from its files. `svc init` and the console propose the same one, and a person confirms it.
import { stringify } from 'yaml';
import { isModelAccessName } from '@gantry/contract/agents/environment-names.ts';
import { seenDestinations, type SeenDestination } from '../agent-project/destinations.ts';
import type { ProjectFiles } from '../agent-project/files.ts';
import { schemaLine } from '../templates/copy-example.ts';
import { readDependencies } from '../dependencies/read-dependencies.ts';
import { declaredGraphs } from '../entrypoint/declared-graphs.ts';
import { findAgents, type FoundAgent } from '../entrypoint/find-agents.ts';
import type { Framework } from '../frameworks.ts';
import { findLanggraphJson } from '../langgraph-json.ts';
import { versionPattern } from '@gantry/contract/refs.ts';

export interface ProposedConfig {
  name: string;
  version: string;
  framework?: Framework;
  entrypoint?: string;
  /** With values, from langgraph.json. */
  env_vars: Record<string, string>;
  egress: string[];
}

interface Given {
  /** The name of the project's folder, when its files do not name it. */
  folder: string;
  /** Undefined when none was found. */
  agent: FoundAgent | undefined;
}

export function proposeConfig(files: ProjectFiles, { folder, agent }: Given): ProposedConfig {
  const env = findLanggraphJson(files)?.config?.env;
  const [declared] = readDependencies(files).projects;
  return {
    name: nameOf(declared?.name ?? folder),
    version: declared !== undefined && versionPattern.test(declared.version) ? declared.version : '1.0.0',
    ...(agent === undefined ? {} : { framework: agent.framework }),
    ...(agent?.entrypoint === undefined ? {} : { entrypoint: agent.entrypoint }),
    env_vars: Object.fromEntries(
      Object.entries(typeof env === 'object' ? env : {}).filter(([name]) => !isModelAccessName(name)),
    ),
    egress: proposedDestinations(files).map(({ destination }) => destination),
  };
}

/** Each with the reason why the code seems to need it. */
export function proposedDestinations(files: ProjectFiles): (SeenDestination & { destination: string })[] {
  return seenDestinations(files).filter(
    (seen): seen is SeenDestination & { destination: string } => seen.destination !== undefined,
  );
}

/** All that can be taken, the likeliest first. */
export function agentChoices(files: ProjectFiles): FoundAgent[] {
  const found = findAgents(files);
  const others = declaredGraphs(files).there.filter((one) =>
    found.every(({ entrypoint }) => entrypoint !== one.entrypoint),
  );
  return [...found, ...others];
}

/** The variables without a value. The container gets the keys and the addresses of model providers from the service. */
export function openVariables(names: readonly string[], { env_vars }: Pick<ProposedConfig, 'env_vars'>): string[] {
  return names.filter((name) => !Object.hasOwn(env_vars, name) && !isModelAccessName(name));
}

export function printProposal(
  { name, version, framework, entrypoint, env_vars, egress }: ProposedConfig,
  { team, server }: { team: string; server: string },
): string {
  const deploy = {
    ...(Object.keys(env_vars).length === 0 ? {} : { env_vars }),
    ...(egress.length === 0 ? {} : { egress }),
  };
  const config = {
    name,
    version,
    team,
    ...(framework === undefined ? {} : { framework }),
    ...(entrypoint === undefined ? {} : { entrypoint }),
    ...(Object.keys(deploy).length === 0 ? {} : { deploy }),
  };
  return schemaLine(server) + stringify(config, { lineWidth: 0 });
}

/** `Open_Deep Research` → `open-deep-research`. */
function nameOf(text: string): string {
  const name = text
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .replace(/^[^a-z]+/, '')
    .slice(0, 63)
    .replace(/-$/, '');
  return name === '' ? 'agent' : name;
}
