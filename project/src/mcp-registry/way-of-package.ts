import type { ServerVariable } from '@gantry/contract/assets/outside-registry.ts';
import { parseHostedPackage, printHostedPackage } from '../hosted-package.ts';
import { NotTaken, type FoundWay } from './found-way.ts';
import type { Argument, NamedInput, RegisteredPackage } from './server-json.ts';
import { isTemplate } from './template.ts';

/** Throws NotTaken. */
export function wayOfPackage(listed: RegisteredPackage): FoundWay {
  const { registryType, identifier, registryBaseUrl, transport } = listed;
  const index = indexes.find((one) => one === registryType);
  if (index === undefined)
    throw new NotTaken(`it is a package of ${registryType}, and the service runs those of pypi and npm`);
  if (transport.type !== 'stdio')
    throw new NotTaken(`its program speaks ${transport.type}, and the service runs programs that speak stdio`);
  const base = registryBaseUrl ?? public_indexes[index];
  if (base.replace(/\/+$/, '') !== public_indexes[index])
    throw new NotTaken('it comes from a package index of its own, and the service has one for all');
  const name = printHostedPackage({ index, name: identifier, version: listed.version ?? '' });
  if (parseHostedPackage(name) === undefined) throw new NotTaken('it has no exact version');
  const left_out: string[] = [];
  if ((listed.runtimeArguments ?? []).length > 0)
    left_out.push('the arguments of its runtime: the service starts the program itself');
  const args = (listed.packageArguments ?? []).flatMap((one) => valuesOf(one, left_out));
  const variables = (listed.environmentVariables ?? []).filter(isOpen);
  const env_vars = (listed.environmentVariables ?? []).flatMap((one) => {
    const value = one.isSecret ? undefined : (fixed(one.value) ?? fixed(one.default));
    return value === undefined ? [] : [[one.name, value] as const];
  });
  const secrets = variables.filter(({ isSecret, isRequired }) => isSecret && isRequired).map((one) => one.name);
  const config = {
    transport: 'stdio',
    package: name,
    ...(args.length > 0 && { args }),
    ...(env_vars.length > 0 && { env_vars: Object.fromEntries(env_vars) }),
    ...(secrets.length > 0 && { secrets }),
  };
  return { of: name, config, variables: variables.map(variableOf), left_out };
}

const indexes = ['pypi', 'npm'] as const;
const public_indexes = { pypi: 'https://pypi.org', npm: 'https://registry.npmjs.org' } as const;

const fixed = (value: string | undefined) => (value === undefined || isTemplate(value) ? undefined : value);

/** A person sets it. One with a value has the value of the entry. */
const isOpen = ({ value, isSecret }: NamedInput) => isSecret || fixed(value) === undefined;

function variableOf({ name, description, value, isRequired, isSecret, choices, ...one }: NamedInput): ServerVariable {
  const form = value === undefined ? '' : ` (${value})`;
  return {
    name,
    description: `${description}${isSecret ? '' : form}`,
    is_required: isRequired && (isSecret || fixed(one.default) === undefined),
    is_secret: isSecret,
    choices: choices ?? [],
  };
}

/** An argument without a value is the person's, and a config made from a registry has none of those. */
function valuesOf(argument: Argument, left_out: string[]): string[] {
  const { isSecret, isRequired } = argument;
  const value = isSecret ? undefined : (fixed(argument.value) ?? fixed(argument.default));
  const flag = argument.type === 'named' ? argument.name : undefined;
  if (value !== undefined) return flag === undefined ? [value] : [flag, value];
  const name = argument.type === 'named' ? argument.name : (argument.valueHint ?? 'without a name');
  if (isRequired) throw new NotTaken(`its program wants the argument ${name} of you`);
  left_out.push(`the argument ${name}`);
  return [];
}
