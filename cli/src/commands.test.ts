import { existsSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { assetKinds, operations } from '@gantry/contract/roles.ts';
import { expect, test } from 'vitest';
import type { Command } from './command.ts';
import { commands, groups, menu, type Words } from './commands.ts';
import { describeNeeds } from './program/needs.ts';
import { isPushed } from './registry/kinds.ts';
import { createOutput } from './output.ts';
import { parse } from './program/program.ts';

const directory = path.join(import.meta.dirname, 'commands');
const all = Object.keys(commands) as Words[]; // the keys of a literal
const load = async (words: Words): Promise<Command> => (await commands[words]()).command;
const silent = createOutput({
  json: false,
  no_color: true,
  stdout: { write: () => true },
  stderr: { write: () => true },
});

/** The registry's commands for every kind of asset are in one folder. */
const fileOf = (words: Words): string => words.replace(/^registry \S+ /, 'registry ').replaceAll(' ', '/');

test.each(all)('%s has the path of its words and declares its permission', async (words) => {
  expect(existsSync(path.join(directory, `${fileOf(words)}.ts`))).toBe(true);
  const command = await load(words);
  expect(command.words).toBe(words);
  expect(command.summary.length).toBeGreaterThan(8);
  expect(command.summary).not.toMatch(/\.$/);
  expect(command.needs in operations || command.needs === 'nothing' || command.needs === 'this machine').toBe(true);
  expect(describeNeeds(command.needs).length).toBeGreaterThan(5);
  // The parser stores a flag under its name without dashes; one with a dash is never read.
  for (const name of Object.keys(command.flags)) expect(name).toMatch(/^[a-zA-Z0-9]+$/);
});

test.each(all)('the examples of %s are valid commands', async (words) => {
  const { examples } = await load(words);
  expect(examples.length).toBeGreaterThanOrEqual(2);
  for (const example of examples) {
    const [first, ...typed] = shellWords(example);
    expect(first).toBe('svc');
    const parsed = await parse(typed, silent);
    expect({ example, words: parsed?.command.words }).toEqual({ example, words });
  }
});

test('every file under commands/ is a listed command', () => {
  const files = readdirSync(directory, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.ts'));
  expect(files.map((file) => file.replaceAll(path.sep, '/').slice(0, -'.ts'.length)).toSorted()).toEqual(
    [...new Set(all.map(fileOf))].toSorted(),
  );
});

test('every kind of asset has the same commands, but a push creates agents', () => {
  const verbs = (kind: string) =>
    all.flatMap((words) => (words.startsWith(`registry ${kind} `) ? [words.split(' ')[2] ?? ''] : [])).toSorted();
  const everything = [
    'create',
    'delete',
    'edit',
    'list',
    'publish',
    'show',
    'transfer',
    'unpublish',
    'used-by',
    'versions',
  ];
  for (const kind of assetKinds)
    expect([kind, verbs(kind)]).toEqual([kind, everything.filter((verb) => verb !== 'create' || !isPushed(kind))]);
});

test('every final change has --yes', async () => {
  const final = all.filter((words) => /(^| )(delete|prune)$|^user remove$/.test(words));
  expect(final.length).toBeGreaterThan(assetKinds.length);
  for (const words of final)
    expect([words, Object.keys((await load(words)).flags)]).toEqual([words, expect.arrayContaining(['yes'])]);
});

test('help describes every kind of asset', () => {
  expect(
    Object.keys(groups)
      .filter((group) => group.startsWith('registry '))
      .toSorted(),
  ).toEqual(assetKinds.map((kind) => `registry ${kind}`).toSorted());
});

test('the menu of help has every first word', () => {
  expect(Object.keys(menu).toSorted()).toEqual([...new Set(all.map((words) => words.split(' ')[0] ?? ''))].toSorted());
});

/** Splits like a shell, as far as the examples need it: quotes, and input from and output to a file. */
function shellWords(line: string): string[] {
  const typed = line.replace(/ [<>] \S+$/, '');
  return [...typed.matchAll(/'([^']*)'|"((?:[^"\\]|\\.)*)"|(\S+)/g)].map(
    ([, single, double, bare]) => single ?? double ?? bare ?? '',
  );
}
