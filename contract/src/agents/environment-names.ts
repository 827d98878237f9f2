// The environment variables that a project may set. The user's code starts inside the container's server and must not run before it. So
// variables that change the server's loading or its address are refused (T73 of the threat model).

export const environmentNamePattern = /^[A-Za-z_][A-Za-z0-9_]{0,127}$/;

/** Why agent.yaml cannot set `name`; undefined when it can. */
export function whyReserved(name: string): string | undefined {
  const upper = name.toUpperCase();
  if (reservedNames.has(upper)) return 'it decides how the container starts';
  const prefix = reservedPrefixes.find(({ starts }) => upper.startsWith(starts));
  return prefix?.because;
}

/** A model provider's key or address, which the gateway will set. In agent.yaml all editors of the agent can read it. */
export function isModelAccessName(name: string): boolean {
  return modelAccessNames.test(name);
}

const reservedPrefixes = [
  { starts: 'SVC_', because: 'names with SVC_ belong to the service' },
  { starts: 'LD_', because: 'the dynamic linker reads it' },
  { starts: 'DYLD_', because: 'the dynamic linker reads it' },
  { starts: 'DOCKER_', because: 'it leads to a container engine' },
  { starts: 'GLIBC_', because: 'the C library reads it' },
] as const;

const reservedNames: ReadonlySet<string> = new Set([
  'PATH',
  'HOME',
  'SHELL',
  'USER',
  'IFS',
  'ENV',
  'BASH_ENV',
  'GCONV_PATH',
  'LOCPATH',
  'PYTHONPATH',
  'PYTHONHOME',
  'PYTHONSTARTUP',
  'PYTHONEXECUTABLE',
  'PYTHONPLATLIBDIR',
  'PYTHONUSERBASE',
  'PYTHONNOUSERSITE',
  'PYTHONSAFEPATH',
  'PYTHONINSPECT',
  'PYTHONBREAKPOINT',
  'PYTHONPYCACHEPREFIX',
  'VIRTUAL_ENV',
  // Switches tracing off together with the framework's telemetry; the service sets the framework's own switch.
  'OTEL_SDK_DISABLED',
]);

const modelAccessNames =
  /^(?:OPENAI|AZURE_OPENAI|AZURE|ANTHROPIC|GEMINI|GOOGLE|GOOGLE_GEMINI|GOOGLE_VERTEX|MISTRAL|COHERE|GROQ|TOGETHER|DEEPSEEK|OPENROUTER|LITELLM|LANGSMITH_GATEWAY|XAI)_(?:API_KEY|AUTH_TOKEN|API_BASE|BASE_URL|API_URL|ENDPOINT)$|^LANGSMITH_GATEWAY$/;
