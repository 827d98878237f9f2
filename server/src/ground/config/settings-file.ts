// Reads and changes the settings file, for `svc server set`. A change is checked as the next start would check it, and then written in one
// step. The other lines of the file stay as they are.
import { chmodSync, existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { parseEnv } from 'node:util';
import { nearest } from '@gantry/contract/nearest.ts';
import { ConfigFault, readConfig, settings } from './config.ts';
import { settingsFile } from './installation-place.ts';

export interface SettingNow {
  name: string;
  /** Null without one: then the default holds. A secret is never shown. */
  value: string | null;
  from: 'environment' | 'file' | 'default';
  is_secret: boolean;
  meaning: string;
}

/** Every setting, as a service that is started in this environment has it. */
export function listSettings(environment: NodeJS.ProcessEnv): { file: string; settings: SettingNow[] } {
  const file = settingsFile(environment);
  const inFile = parseEnv(readText(file));
  return {
    file,
    settings: Object.entries(settings.shape).map(([name, schema]) => {
      const from = filled(environment[name]) ? 'environment' : filled(inFile[name]) ? 'file' : 'default';
      const value = from === 'environment' ? environment[name] : from === 'file' ? inFile[name] : undefined;
      return {
        name,
        value: value === undefined ? defaultOf(schema) : masked(name, value),
        from,
        is_secret: isSecret(name),
        meaning: schema.description ?? '',
      };
    }),
  };
}

/** Sets the setting in the file; an empty value removes it. Throws ConfigFault for a name or a value that a start would refuse. */
export function changeSetting(name: string, value: string, environment: NodeJS.ProcessEnv): object {
  if (!Object.hasOwn(settings.shape, name)) throw new ConfigFault(unknown(name));
  if (name === 'GANTRY_HOME') throw new ConfigFault('GANTRY_HOME is read only from the environment.');
  const file = settingsFile(environment);
  const before = readText(file);
  const after = withLine(before, name, value);
  // The environment of this shell is not that of the next start.
  const { [name]: overridden, ...others } = environment;
  readConfig(others, { settings_text: after });
  if (after !== before) replace(file, after);
  return {
    name,
    value: value === '' ? null : masked(name, value),
    file,
    changed: after !== before,
    is_overridden: filled(overridden),
  };
}

function unknown(name: string): string {
  const names = Object.keys(settings.shape);
  const typed = name.toUpperCase();
  const guess = nearest(typed, names) ?? names.find((each) => each.startsWith(`${typed}_`));
  return `There is no setting ${name}.${guess === undefined ? '' : ` Did you mean ${guess}?`}`;
}

function withLine(text: string, name: string, value: string): string {
  const lines = text === '' ? [] : text.replace(/\n$/, '').split('\n');
  const others = lines.filter((line) => !line.trim().startsWith(`${name}=`));
  const at = lines.findIndex((line) => line.trim().startsWith(`${name}=`));
  if (value !== '') others.splice(at === -1 ? others.length : at, 0, `${name}=${quoted(name, value)}`);
  return others.length === 0 ? '' : `${others.join('\n')}\n`;
}

/** As Node's `parseEnv` reads it back. */
function quoted(name: string, value: string): string {
  const forms = [value, `'${value}'`, `"${value}"`, `\`${value}\``];
  const form = /[\r\n]/.test(value) ? undefined : forms.find((each) => parseEnv(`${name}=${each}\n`)[name] === value);
  if (form === undefined)
    throw new ConfigFault(`The value of ${name} cannot be written on one line of a settings file.`);
  return form;
}

// A crash leaves the old file or the new one.
function replace(file: string, text: string): void {
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  const unfinished = `${file}.${process.pid}`;
  writeFileSync(unfinished, text, { mode: 0o600 });
  chmodSync(unfinished, 0o600); // the mode above is cut by the umask, never widened
  renameSync(unfinished, file);
}

const isSecret = (name: string): boolean => /(_KEY|_TOKEN)$/.test(name);

/** Also without the password of an address. */
function masked(name: string, value: string): string {
  return isSecret(name) ? '(set)' : value.replaceAll(/(:\/\/[^/\s@]*:)[^/\s@]*@/g, '$1…@');
}

function defaultOf(schema: { safeParse(value: unknown): { data?: unknown } }): string | null {
  const { data } = schema.safeParse(undefined);
  return typeof data === 'string' || typeof data === 'number' ? String(data) : null;
}

const readText = (file: string): string => (existsSync(file) ? readFileSync(file, 'utf8') : '');

const filled = (value: string | undefined): boolean => value !== undefined && value !== '';
