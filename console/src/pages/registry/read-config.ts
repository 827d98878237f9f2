import { Problem, type Fault } from '@gantry/contract/problems.ts';
import { parse, YAMLParseError } from 'yaml';
import type { Send } from '@gantry/contract/client/client.ts';
import type { Member } from './config-fields.tsx';

export type Config = NonNullable<Send<'registry.create'>['body']['config']>;

/** What the fields hold, as a config. Throws `invalid` with the place of text that cannot be read; the service checks the rest. */
export function readConfig(members: readonly Member[], values: Record<string, string>): Config {
  const errors: Fault[] = [];
  const config: Record<string, unknown> = {};
  for (const { name, form } of members) {
    const text = values[name] ?? '';
    if (text.trim() === '') continue;
    try {
      config[name] = form === 'line' || form === 'text' || form === 'choice' ? text : parse(text);
    } catch (error) {
      if (!(error instanceof YAMLParseError)) throw error;
      errors.push({ pointer: `/config/${name}`, message: error.message.split('\n')[0] ?? '' });
    }
  }
  if (errors.length > 0) throw new Problem('invalid', { detail: 'A field is neither JSON nor YAML.', errors });
  return config as Config; // the parser makes values of JSON
}
