import { isModelAccessName } from '@gantry/contract/agents/environment-names.ts';
import { providerOfVariable } from '@gantry/project/model-providers.ts';

const variableName = /^[A-Za-z_][A-Za-z0-9_]{0,99}$/;
const missingModule = /ModuleNotFoundError: No module named '([A-Za-z_][A-Za-z0-9_.]{0,99})'/;
const general = 'Correct the fault above, then run `svc deploy` again.';

/** The next step for an agent that could not be loaded. `reason` comes from its container, so the hint repeats only plain names from it. */
export function startHint(reason: unknown): string {
  const { missing_env, message, traceback } = typeof reason === 'object' && reason !== null ? (reason as Said) : {};
  if (isVariables(missing_env) && missing_env.some(isModelAccessName))
    return ofProviders(missing_env.filter(isModelAccessName));
  if (isVariables(missing_env))
    return `Set ${missing_env.join(', ')} in agent.yaml: tokens and keys as names in \`deploy.secrets\` (\`svc secret set <NAME> --agent <name>\`), other values in \`deploy.env_vars\`.`;
  const said = typeof message === 'string' ? message : '';
  const module = missingModule.exec(said)?.[1];
  if (module !== undefined)
    return (
      `Add the package that has \`${module}\` to the project's dependencies, then run \`svc deploy\` again. ` +
      'Import a module of the project by its path from the root or from `src/`.'
    );
  return isCallToItself(`${said}\n${typeof traceback === 'string' ? traceback : ''}`) ? localhostHint : general;
}

/** A push refuses these names, so none of them is to be set. */
function ofProviders(names: readonly string[]): string {
  const providers = [...new Set(names.map((name) => providerOfVariable(name) ?? '<provider>'))];
  const add = providers.map((provider) => `\`svc model add <name> --provider ${provider}\``).join(', ');
  return (
    `The gateway takes the place of ${names.join(', ')}, which a project cannot set. Add the model: ${add}. ` +
    'The container has the variables for clients of OpenAI, Anthropic, Gemini and Ollama. A provider with another format needs an endpoint in the format of OpenAI: `--base-url`.'
  );
}

/** It names no cause, so a known cause replaces it. */
export function isGeneralHint(hint: string | undefined): boolean {
  return hint === general;
}

/** wrapper/_svc_wrapper/agent_error.py gives the same hint for a call. */
const localhostHint =
  '`localhost` is the container itself, and no such server is in it. A model on the machine of the service joins the gateway: `svc model add <name> --provider ollama --model <model>`. ' +
  'An operator may have to list its address in OUTBOUND_PRIVATE_HOSTS. Any other server needs its address in the network.';

const refusedHere = /Cannot assign requested address|Failed to connect to Ollama/;
const refused = /Connection refused|ConnectionRefusedError|ECONNREFUSED|All connection attempts failed/;
const here = /\b(?:localhost|127\.0\.0\.1|0\.0\.0\.0)\b|\[?::1\b/;

function isCallToItself(text: string): boolean {
  return refusedHere.test(text) || (refused.test(text) && here.test(text));
}

/** Every field may be missing or have another type. */
interface Said {
  missing_env?: unknown;
  message?: unknown;
  traceback?: unknown;
}

function isVariables(names: unknown): names is string[] {
  return (
    Array.isArray(names) &&
    names.length > 0 &&
    names.length <= 20 &&
    names.every((name) => typeof name === 'string' && variableName.test(name))
  );
}
