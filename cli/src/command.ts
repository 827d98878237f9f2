// A command is one record: its words, its permission, its inputs, its function. Parsing, help and the tests read the record. A record
// imports nothing heavy at its top: `svc validate` must not pay for `svc deploy`.
import type { AssetKind, Operation } from '@gantry/contract/roles.ts';
import { misuse } from './refusal.ts';
import type { Result } from './result.ts';
import type { Session } from './session/session.ts';

export function defineCommand<A extends Inputs, F extends Inputs>(record: Command<A, F>): Command<A, F> {
  return record;
}

export interface Command<A extends Inputs = Inputs, F extends Inputs = Inputs> {
  /** As typed after `svc`. */
  words: string;
  summary: string;
  /** The permission that it needs; `nothing` for anyone, `this machine` for users who can run programs here. */
  needs: Operation | 'nothing' | 'this machine';
  examples: readonly [string, string, ...string[]];
  arguments: A;
  flags: F;
  // A method, so that a record with its own inputs still fits the general Command.
  run(input: InputOf<A> & InputOf<F>, session: Session): Promise<Result>;
}

/** An argument or a flag, and the conversion of its text to a value. */
export interface Input<Value = unknown> {
  summary: string;
  /** `<file>`; a flag without one is a switch. */
  placeholder?: string;
  short?: string;
  required?: boolean;
  /** A flag that can be repeated. */
  repeats?: boolean;
  /** Takes all remaining words. */
  rest?: boolean;
  choices?: readonly string[];
  /** The kind of name that it takes: completion asks the service for these names. */
  names?: AssetKind | 'team' | 'request' | 'deploy';
  read(given: Given, name: string): Value;
}

/** The parser's value: text, true for a switch, or a list for a repeated flag and for all remaining words. */
export type Given = string | true | string[] | undefined;
export type Inputs = Record<string, Input>;
export type InputOf<I extends Inputs> = { [K in keyof I]: ReturnType<I[K]['read']> };

export function required(summary: string, names?: Input['names']): Input<string> {
  return { summary, required: true, ...(names === undefined ? {} : { names }), read: (given) => String(given) };
}

export function optional(summary: string): Input<string | undefined> {
  return { summary, read: textOrNothing };
}

export function rest(summary: string): Input<string[]> {
  // The parser returns a list for all remaining words.
  return { summary, required: true, rest: true, read: (given) => given as string[] };
}

export function toggle(summary: string, short?: string): Input<boolean> {
  return { summary, ...(short === undefined ? {} : { short }), read: (given) => given === true };
}

export function text(summary: string, placeholder: string): Input<string | undefined> {
  return { summary, placeholder, read: textOrNothing };
}

/** Repeatable; empty without one. */
export function texts(summary: string, placeholder: string): Input<string[]> {
  // The parser returns a list for a repeated flag.
  return { summary, placeholder, repeats: true, read: (given) => (given ?? []) as string[] };
}

/** `--config key=value`, repeatable; a JSON value is parsed, any other value is text. */
export function settings(summary: string): Input<Record<string, unknown> | undefined> {
  return {
    summary,
    placeholder: 'key=value',
    repeats: true,
    read(given, name) {
      if (given === undefined) return undefined;
      // The parser returns a list for a repeated flag.
      return Object.fromEntries((given as string[]).map((each) => readSetting(each, name)));
    },
  };
}

/** `--var key=value`, repeatable; each value is text. */
export function values(summary: string): Input<Record<string, string>> {
  return {
    summary,
    placeholder: 'key=value',
    repeats: true,
    // The parser returns a list for a repeated flag.
    read: (given, name) => Object.fromEntries(((given ?? []) as string[]).map((each) => readPair(each, name))),
  };
}

function readPair(given: string, name: string): [string, string] {
  const [, key = '', value = ''] = /^([^=]+)=(.*)$/s.exec(given) ?? [];
  if (key === '') throw misuse(`${name} must be key=value, not "${given}"`);
  return [key, value];
}

function readSetting(given: string, name: string): [string, unknown] {
  const [key, value] = readPair(given, name);
  const parsed = parseJson(value);
  return [key, parsed === undefined ? value : parsed];
}

/** A JSON object. */
export function jsonObject(summary: string): Input<Record<string, unknown> | undefined> {
  return {
    summary,
    placeholder: 'json',
    read(given, name) {
      if (given === undefined) return undefined;
      const value = parseJson(String(given));
      if (typeof value !== 'object' || value === null || Array.isArray(value))
        throw misuse(`${name} must be a JSON object, not ${String(given)}`, `Write it like ${name} '{"user":"ada"}'.`);
      return value as Record<string, unknown>; // just proved an object
    },
  };
}

/** Undefined for text that is not JSON. */
function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** A required flag. */
export function needed<Value>(input: Input<Value | undefined>, hint?: string): Input<Value> {
  return {
    ...input,
    read(given, name) {
      const value = input.read(given, name);
      if (value === undefined) throw misuse(`${name} is needed`, hint);
      return value;
    },
  };
}

export function choice<const C extends string>(summary: string, choices: readonly C[]): Input<C | undefined> {
  const few = choices.length <= 4;
  return {
    summary: few ? summary : `${summary} (${choices.join(', ')})`,
    placeholder: few ? choices.join('|') : 'one',
    choices,
    read(given, name) {
      if (given === undefined) return undefined;
      const found = choices.find((each) => each === given);
      if (found === undefined) throw misuse(`${name} must be one of ${choices.join(', ')}, not "${String(given)}"`);
      return found;
    },
  };
}

export function whole(
  summary: string,
  placeholder: string,
  range: { least: number; most: number },
): Input<number | undefined> {
  return {
    summary,
    placeholder,
    read(given, name) {
      if (given === undefined) return undefined;
      const number = Number(given);
      if (!Number.isInteger(number) || number < range.least || number > range.most) {
        throw misuse(`${name} must be a whole number from ${range.least} to ${range.most}, not "${String(given)}"`);
      }
      return number;
    },
  };
}

/** A length of time such as 30m, 24h or 7d, in seconds. */
export function duration(summary: string, max_seconds: number): Input<number | undefined> {
  return {
    summary,
    placeholder: 'time',
    read(given, name) {
      if (given === undefined) return undefined;
      const seconds = given === '0' ? 0 : readLength(String(given));
      if (seconds === undefined || seconds > max_seconds) {
        const most = `${max_seconds / secondsPerUnit.d}d`;
        throw misuse(
          `${name} must be a length of time (30m, 24h, 7d) of at most ${most}, or 0; not "${String(given)}"`,
        );
      }
      return seconds;
    },
  };
}

/** A date, or a time back from now such as 10m, 2h or 1d, as UTC ISO text. */
export function moment(summary: string): Input<string | undefined> {
  return {
    summary,
    placeholder: 'when',
    read: (given, name) => (given === undefined ? undefined : readMoment(String(given), name)),
  };
}

const secondsPerUnit = { s: 1, m: 60, h: 3600, d: 86_400, w: 604_800 } as const;

function readMoment(given: string, name: string, now = Date.now()): string {
  const back = readLength(given);
  const milliseconds = back === undefined ? Date.parse(given) : now - back * 1000;
  if (Number.isNaN(milliseconds) || (back === undefined && !/^\d{4}-\d\d-\d\d/.test(given))) {
    throw misuse(`${name} must be a time back from now (10m, 2h, 1d) or a date (2026-01-31), not "${given}"`);
  }
  return new Date(milliseconds).toISOString();
}

/** In seconds; undefined for other text. */
function readLength(given: string): number | undefined {
  const [, count, unit] = /^(\d{1,6})([smhdw])$/.exec(given) ?? [];
  // The pattern only accepts units of the table.
  return unit === undefined ? undefined : Number(count) * secondsPerUnit[unit as keyof typeof secondsPerUnit];
}

function textOrNothing(given: Given): string | undefined {
  return given === undefined ? undefined : String(given);
}
