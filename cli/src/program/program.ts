// The command line, built from the records. Words become a command with its input, help, or a misuse (exit 2). Only the record of the given
// command is loaded. Help and "did you mean" load all.
import { Argument, Command as Parser, CommanderError, Option } from 'commander';
import packageFile from '../../package.json' with { type: 'json' };
import type { Command, Given, Input, InputOf, Inputs } from '../command.ts';
import { commands, groups, menu, type Words } from '../commands.ts';
import { exitCodes } from '../exit-codes.ts';
import { globalFlags } from './global-flags.ts';
import { menuHelp } from './menu-help.ts';
import { describeNeeds } from './needs.ts';
import type { Output } from '../output.ts';
import { misuse, CliRefusal } from '../refusal.ts';
import type { GlobalFlags } from '../session/session.ts';
import { helpForm, kebab, typedWords } from './typed-words.ts';

export interface Typed {
  command: Command;
  input: InputOf<Inputs>;
  globals: GlobalFlags;
}

/** Undefined when it printed help or the version. */
export async function parse(given: readonly string[], output: Output): Promise<Typed | undefined> {
  const words = helpForm(given);
  const typed = typedWords(words);
  const records = await loadRecords(asksForHelp(words) ? undefined : typed);
  let result: Typed | undefined;
  let complaint = '';
  const program = createProgram();
  // The parser takes an option of the program anywhere in the line, also in place of a command's own.
  if (!records.some((record) => record.words === typed && 'version' in record.flags))
    program.version(packageFile.version, '--version', 'Print the version');
  for (const [name, entry] of Object.entries(menu)) {
    const parser = program.command(name).helpCommand(false).helpGroup(entry.heading).configureHelp(whole_help);
    if ('summary' in entry) parser.summary(entry.summary).description(entry.summary);
  }
  for (const record of records) addCommand(program, record, (found) => (result = found));
  for (const parser of everyParser(program)) {
    parser.exitOverride();
    parser.configureOutput({
      writeOut: (text) => output.help(text),
      writeErr: (text) => output.help(text),
      outputError: (text) => (complaint = text),
    });
  }
  try {
    await program.parseAsync(words, { from: 'user' });
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    if (error.exitCode === 0 || words.length === 0) return undefined;
    if (error.code === 'commander.help')
      throw new CliRefusal('misused', `svc ${words.join(' ')} needs one of the commands above`, {
        exit: exitCodes.misused,
      });
    throw misuse(
      (complaint || error.message).trim().replace(/^error: /, ''),
      `Run \`${['svc', typed ?? groupIn(words), '--help'].filter((word) => word !== '').join(' ')}\`.`,
    );
  }
  return result;
}

// `svc audit` is a command, and its help also lists the commands below it.
const asksForHelp = (words: readonly string[]): boolean => words.includes('--help') || words.includes('-h');

/** The longest group that the words begin with; empty without one. */
function groupIn(words: readonly string[]): string {
  const prefixes = words.map((_, n) => words.slice(0, n + 1).join(' '));
  return prefixes.findLast((prefix) => Object.keys(commands).some((each) => each.startsWith(`${prefix} `))) ?? '';
}

async function loadRecords(typed: Words | undefined): Promise<Command[]> {
  const loaders = typed === undefined ? Object.values(commands) : [commands[typed]];
  const modules = await Promise.all(loaders.map((load) => load()));
  return modules.map(({ command }) => command);
}

function createProgram(): Parser {
  const program = new Parser('svc')
    .description('Deploys and governs agents. No telemetry: svc connects only to your service.')
    .helpOption('-h, --help', 'Show help')
    .helpCommand(false)
    .configureHelp(menuHelp)
    .addHelpText(
      'after',
      '\nAll of a command: svc <command> --help\nExit codes: 0 done, 1 refused or failed, 2 used wrongly, 3 server not reached,\n            4 waits for a person or cannot be verified, 5 the plan has changes',
    );
  for (const [name, input] of Object.entries(globalFlags)) program.addOption(optionFor(name, input));
  return program;
}

const whole_help = { showGlobalOptions: true, sortSubcommands: false };

function addCommand(program: Parser, record: Command, found: (typed: Typed) => void): void {
  const parser = record.words
    .split(' ')
    .reduce((at, word, depth, words) => {
      const group = groups[words.slice(0, depth + 1).join(' ')] ?? '';
      return (
        at.commands.find((each) => each.name() === word) ??
        at.command(word).helpCommand(false).summary(group).description(group)
      );
    }, program)
    .summary(record.summary)
    .description(`${record.summary}.\nNeeds ${describeNeeds(record.needs)}.`)
    .configureHelp(whole_help)
    .allowExcessArguments(false);
  for (const [name, input] of Object.entries(record.arguments))
    parser.addArgument(new Argument(argumentForm(name, input), input.summary));
  for (const [name, input] of Object.entries(record.flags)) parser.addOption(optionFor(name, input));
  parser.addHelpText('after', `\nExamples:\n${record.examples.map((each) => `  ${each}`).join('\n')}`);
  parser.action(() => {
    const options: Record<string, unknown> = parser.optsWithGlobals();
    const input: Record<string, unknown> = {};
    for (const [n, [name, each]] of Object.entries(record.arguments).entries())
      input[name] = each.read(parser.processedArgs[n] as Given, `<${name}>`);
    for (const [name, each] of Object.entries(record.flags))
      input[name] = each.read(parser.opts<Record<string, Given>>()[name], `--${kebab(name)}`);
    found({ command: record, input, globals: readGlobals(options) });
  });
}

function readGlobals(options: Record<string, unknown>): GlobalFlags {
  const text = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined);
  return {
    json: options['json'] === true,
    no_input: options['input'] === false,
    server: text(options['server']),
    team: text(options['team']),
  };
}

function optionFor(name: string, input: Input): Option {
  const option = new Option(flagForm(name, input), input.summary);
  if (input.repeats !== true) return option;
  return option.argParser((value, earlier: string[] | undefined) => [...(earlier ?? []), value]);
}

function argumentForm(name: string, input: Input): string {
  const word = `${kebab(name)}${input.rest === true ? '...' : ''}`;
  return input.required === true ? `<${word}>` : `[${word}]`;
}

function flagForm(name: string, input: Input): string {
  const long = `--${kebab(name)}${input.placeholder === undefined ? '' : ` <${input.placeholder}>`}`;
  return input.short === undefined ? long : `-${input.short}, ${long}`;
}

function* everyParser(parser: Parser): Generator<Parser> {
  yield parser;
  for (const child of parser.commands) yield* everyParser(child);
}
