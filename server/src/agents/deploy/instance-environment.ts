// The environment of an instance, on every target. It has two parts. The process starts with `startVariables`, which the target may record.
// The wrapper reads the rest from files, which the target never records, before it loads the agent.
import { resourceLimits, type AgentConfig } from '@gantry/project/agent-yaml.ts';
import { isTraced } from '@gantry/project/agent-yaml/tracing.ts';
import type { PinnedMemory } from '../../assets/registry/references/memory-of-agent.ts';
import { runs_grace_seconds } from './targets/stop-grace.ts';
import type { SecretFiles, Secrets } from './targets/target.ts';

/** Without a secret. Only /tmp can be written. */
export function startVariables(revision_id: string): Record<string, string> {
  return {
    HOME: '/tmp',
    PYTHONUNBUFFERED: '1',
    // The working directory has the user's files: a user module must not replace a module that the start needs.
    PYTHONSAFEPATH: '1',
    CREWAI_STORAGE_DIR: '/tmp/crewai',
    SVC_SHUTDOWN_GRACE_SECONDS: String(runs_grace_seconds),
    SVC_REVISION: revision_id,
  };
}

interface EnvironmentInput {
  config: AgentConfig;
  ingress_secret: string;
  /** How the agent finds its models and subagents. Empty for an agent outside the gateway. */
  access: SecretFiles;
  /** Today's values of `deploy.secrets`. */
  secrets: SecretFiles;
  /** The service keeps threads and store that would end with the container. */
  keeps_memory: boolean;
  /** The memory config of the version. */
  memory: PinnedMemory | undefined;
  /** The only way to the outside. Undefined: not limited. */
  proxy: SecretFiles | undefined;
  /** All values that nobody may read in an error of the agent. */
  hidden: Secrets;
}

export function instanceFiles(input: EnvironmentInput): SecretFiles {
  const { config, ingress_secret, access, secrets, keeps_memory, memory, proxy, hidden } = input;
  const { deploy } = config;
  const files = {
    ...access,
    ...deploy?.env_vars,
    SVC_FRAMEWORK: config.framework,
    SVC_AGENT_NAME: config.name,
    SVC_AGENT_VERSION: config.version,
    ...(keeps_memory ? { SVC_MEMORY: 'service' } : {}),
    ...narrowing(memory),
    SVC_MEMORY_BYTES: String(resourceLimits(config).memory_bytes),
    ...(deploy?.concurrency === undefined ? {} : { SVC_MAX_CONCURRENCY: String(deploy.concurrency) }),
    ...(isTraced(config) ? {} : { SVC_TRACES: 'off' }),
    SVC_INGRESS_SECRET: ingress_secret,
    ...secrets,
    // Last, because a limited container reaches the outside in no other way.
    ...proxy,
  };
  return { ...files, SVC_SECRET_NAMES: namesOf(hidden, files) };
}

/** Which part of a conversation reaches a model (wrapper: langgraph/narrow/). */
function narrowing(memory: PinnedMemory | undefined): SecretFiles {
  if (memory === undefined || memory.config.kind === 'buffer') return {};
  const { kind, max_messages, max_tokens, model } = memory.config;
  return {
    SVC_MEMORY_MESSAGES: JSON.stringify({
      kind,
      max_messages,
      max_tokens,
      ...(model === undefined ? {} : { model: model.ref, format: memory.model_format }),
    }),
  };
}

/** The wrapper masks these values in errors. The other files are no secrets, such as the name of the agent. */
function namesOf(hidden: Secrets, files: SecretFiles): string {
  const values = new Set(Object.values(hidden));
  return Object.entries(files)
    .filter(([, value]) => values.has(value))
    .map(([name]) => name)
    .join(' ');
}
