const variableName = /^[A-Za-z_][A-Za-z0-9_]{0,99}$/;
const missingModule = /ModuleNotFoundError: No module named '([A-Za-z_][A-Za-z0-9_.]{0,99})'/;

/** The next step for an agent that could not be loaded. `reason` comes from its container, so the hint repeats only plain names from it. */
export function startHint(reason: unknown): string {
  const { missing_env, message } = typeof reason === 'object' && reason !== null ? (reason as Said) : {};
  if (isVariables(missing_env))
    return `Set ${missing_env.join(', ')} in agent.yaml: tokens and keys as names in \`deploy.secrets\` (\`svc secret set <NAME> --agent <name>\`), other values in \`deploy.env_vars\`.`;
  const module = typeof message === 'string' ? missingModule.exec(message)?.[1] : undefined;
  if (module === undefined) return 'Correct the fault above, then run `svc deploy` again.';
  return (
    `Add the package that has \`${module}\` to the project's dependencies, then run \`svc deploy\` again. ` +
    'Import a module of the project by its path from the root or from `src/`.'
  );
}

/** Every field may be missing or have another type. */
interface Said {
  missing_env?: unknown;
  message?: unknown;
}

function isVariables(names: unknown): names is string[] {
  return (
    Array.isArray(names) &&
    names.length > 0 &&
    names.length <= 20 &&
    names.every((name) => typeof name === 'string' && variableName.test(name))
  );
}
