// The completions of the word at the cursor: commands, flags, a flag's choices, or names from the service.
import type { Command, Input, Inputs } from '../command.ts';
import { commands, groups, menu, type Words } from '../commands.ts';
import { globalFlags } from '../program/global-flags.ts';
import { kebab } from '../program/typed-words.ts';

export interface Candidate {
  value: string;
  about: string;
}

/** Asks the service; empty when it cannot be asked. */
export type FindNames = (names: NonNullable<Input['names']>) => Promise<Candidate[]>;

/** `words` follow \`svc\`; the last one is incomplete. */
export async function findCandidates(words: readonly string[], findNames: FindNames): Promise<Candidate[]> {
  const current = words.at(-1) ?? '';
  const { bare, flag, record } = await readTyped(words.slice(0, -1));
  const found =
    flag !== undefined
      ? await valuesOf(flag, findNames)
      : current.startsWith('-')
        ? flagsOf(record)
        : [...nextWords(bare), ...(record === undefined ? [] : await argumentAt(record, bare, findNames))];
  return found.filter(({ value }) => value.startsWith(current));
}

interface TypedSoFar {
  /** Words that are neither a flag nor a flag's value. */
  bare: string[];
  /** A flag whose value comes next. */
  flag: Input | undefined;
  record: Command | undefined;
}

async function readTyped(words: readonly string[]): Promise<TypedSoFar> {
  const bare: string[] = [];
  let record: Command | undefined;
  let flag: Input | undefined;
  for (const word of words) {
    if (flag !== undefined) {
      flag = undefined;
    } else if (word.startsWith('-')) {
      const found = flagNamed(record, word);
      flag = found?.placeholder === undefined ? undefined : found;
    } else {
      bare.push(word);
      const name = bare.join(' ');
      if (Object.hasOwn(commands, name)) record = (await commands[name as Words]()).command; // hasOwn just proved it
    }
  }
  return { bare, flag, record };
}

function flagNamed(record: Command | undefined, word: string): Input | undefined {
  const flags: Inputs = { ...record?.flags, ...globalFlags };
  const [, found] =
    Object.entries(flags).find(([name, { short }]) => word === `--${kebab(name)}` || word === `-${short}`) ?? [];
  return found;
}

async function valuesOf({ choices, names }: Input, findNames: FindNames): Promise<Candidate[]> {
  if (choices !== undefined) return choices.map((value) => ({ value, about: '' }));
  return names === undefined ? [] : await findNames(names);
}

function flagsOf(record: Command | undefined): Candidate[] {
  const flags: Inputs = { ...record?.flags, ...globalFlags };
  return Object.entries(flags).map(([name, { summary }]) => ({ value: `--${kebab(name)}`, about: summary }));
}

/** The words that can follow these in a command's name. */
function nextWords(bare: readonly string[]): Candidate[] {
  const begun = bare.length === 0 ? '' : `${bare.join(' ')} `;
  const next = new Set(
    Object.keys(commands)
      .filter((name) => name.startsWith(begun))
      .map((name) => name.slice(begun.length).split(' ')[0] ?? ''),
  );
  const about: Record<string, { heading: string; summary?: string }> = menu;
  return [...next].map((value) => ({
    value,
    about: groups[begun + value] ?? (begun === '' ? (about[value]?.summary ?? '') : ''),
  }));
}

async function argumentAt(record: Command, bare: readonly string[], findNames: FindNames): Promise<Candidate[]> {
  const inputs = Object.values<Input>(record.arguments);
  const at = bare.length - record.words.split(' ').length;
  const last = inputs.at(-1);
  const input = inputs[at] ?? (last?.rest === true ? last : undefined);
  return input === undefined ? [] : await valuesOf(input, findNames);
}
