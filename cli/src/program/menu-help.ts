import type { Command as Parser, HelpConfiguration, Option } from 'commander';

/** The form of `svc` alone: one short line for each first word. The whole of a command is in its own help. */
export const menuHelp: HelpConfiguration = {
  sortSubcommands: false,
  subcommandTerm: (parser: Parser) => parser.name(),
  subcommandDescription: (parser: Parser) => firstClause(parser.summary()),
  optionDescription: (option: Option) => firstClause(option.description),
};

// Of 80 columns, without the names before it.
const room = 60;

/** The first clauses that fit. */
function firstClause(summary: string): string {
  let text = summary;
  while (text.length > room) {
    const shorter = text.replace(/[,;:(][^,;:(]*$/, '').trimEnd();
    if (shorter === text) return text;
    text = shorter;
  }
  return text;
}
