import type { ServerVariable, ServerWay } from '@gantry/contract/assets/outside-registry.ts';
import { picked } from '../registry/compare-config.ts';
import { misuse } from '../refusal.ts';
import { kept_fields } from './kept-fields.ts';
import type { ServerWish } from './plan-server-import.ts';

/** The config of a package, with the values that a person gives and has given. Throws a refusal for a variable without one. */
export function mergeProgram(
  way: ServerWay,
  imported: Record<string, unknown>,
  { secrets, env }: Pick<ServerWish, 'secrets' | 'env'>,
): (before: Record<string, unknown>) => object {
  const open = way.variables.filter(({ is_secret }) => !is_secret);
  const hidden = way.variables.filter(({ is_secret }) => is_secret);
  for (const secret of secrets)
    if (!hasName(hidden, secret)) throw misuse(`${way.of} has no secret variable ${secret}`, namesOf(hidden));
  for (const [name, value] of Object.entries(env)) requireFit(way, open, { name, value });
  return (before) => {
    const isSame = before['package'] !== undefined;
    const had = fieldsOf(isSame ? before : {});
    const offered = fieldsOf(imported);
    // What the entry sets for good is the entry's.
    const set = Object.fromEntries(Object.entries(had.env_vars).filter(([name]) => hasName(open, name)));
    const env_vars = { ...offered.env_vars, ...set, ...env };
    requireValues(open, env_vars);
    const named = [...new Set([...had.secrets, ...offered.secrets, ...secrets])];
    return {
      ...picked(before, isSame ? [...kept_fields, 'egress', 'share'] : kept_fields),
      ...imported,
      ...(Object.keys(env_vars).length > 0 && { env_vars }),
      ...(named.length > 0 && { secrets: named }),
    };
  };
}

/** The service has checked both configs. */
function fieldsOf(config: Record<string, unknown>) {
  const { env_vars = {}, secrets = [] } = config as { env_vars?: Record<string, string>; secrets?: string[] };
  return { env_vars, secrets };
}

type Variables = readonly ServerVariable[];

const hasName = (variables: Variables, wanted: string) => variables.some(({ name }) => name === wanted);

function namesOf(variables: Variables): string {
  return variables.length === 0 ? 'It has none.' : `It has ${variables.map(({ name }) => name).join(', ')}.`;
}

function requireFit(way: ServerWay, open: Variables, { name, value }: { name: string; value: string }): void {
  const known = open.find((one) => one.name === name);
  if (known === undefined) throw misuse(`${way.of} has no variable ${name} to set`, namesOf(open));
  if (known.choices.length > 0 && !known.choices.includes(value))
    throw misuse(`${name} is one of ${known.choices.join(', ')}`);
}

function requireValues(open: Variables, env_vars: Readonly<Record<string, string>>): void {
  const missing = open.filter(({ name, is_required }) => is_required && env_vars[name] === undefined);
  if (missing.length === 0) return;
  const needs = missing.map(({ name, description }) => (description === '' ? name : `${name} (${description})`));
  const flags = missing.map(({ name }) => `--env ${name}=<value>`);
  throw misuse(`It needs a value for ${needs.join(', ')}`, `Give it: ${flags.join(' ')}`);
}
