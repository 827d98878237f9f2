// A guide's commands, typed unchanged. In a block ```sh a line `ada$ svc whoami` is Ada's input at her terminal. The lines after it are its
// expected output, in order. `…` means any text, and `<name>` is a word for later commands. `# exits 4` after a command is its exit code;
// the default is 0. A block ```python agent.py is a file, which the person of the command before writes into their folder.

export interface GuideCommand {
  line: number;
  as: string;
  command: string;
  exits: number;
  /** Lines that must appear, in this order. */
  prints: string[];
}

export function readGuide(markdown: string): GuideCommand[] {
  const commands: GuideCommand[] = [];
  let fence: string | undefined;
  let file: string[] = [];
  for (const [index, line] of markdown.split('\n').entries()) {
    const opened = /^```(.*)$/.exec(line);
    const path = /^python (\S+)$/.exec(fence ?? '')?.[1];
    if (opened !== null && path !== undefined) commands.push(writing(path, file, commands.at(-1)?.as, index));
    if (opened !== null) [fence, file] = [fence === undefined ? opened[1] : undefined, []];
    if (path !== undefined && opened === null) file.push(line);
    if (opened !== null || fence !== 'sh') continue;
    const [, as, command] = /^(\w+)\$ (.*)$/.exec(line) ?? [];
    if (as !== undefined && command !== undefined)
      commands.push({ ...readCommand(command), as, line: index + 1, prints: [] });
    else if (line.trim() !== '') commands.at(-1)?.prints.push(line);
  }
  return commands;
}

function writing(path: string, lines: readonly string[], as = 'admin', line: number): GuideCommand {
  return { line, as, command: [`cat > ${path} <<'END'`, ...lines, 'END'].join('\n'), exits: 0, prints: [] };
}

/** Undefined when the output has the lines, else the first missing one. The words for `<name>` are put into `words`. */
export function missingLine(output: string, prints: readonly string[], words: Map<string, string>): string | undefined {
  let rest = output.split('\n');
  for (const expected of prints) {
    const pattern = toPattern(expected, words);
    const at = rest.findIndex((line) => pattern.test(line));
    if (at < 0) return expected;
    for (const [name, word] of Object.entries(pattern.exec(rest[at] ?? '')?.groups ?? {})) words.set(name, word);
    rest = rest.slice(at + 1);
  }
  return undefined;
}

export function fillIn(command: string, words: ReadonlyMap<string, string>): string {
  return command.replaceAll(/<(\w+)>/g, (whole, name: string) => words.get(name) ?? notPrinted(whole));
}

function notPrinted(word: string): never {
  throw new Error(`nothing before has printed ${word}`);
}

function readCommand(text: string): { command: string; exits: number } {
  const exits = /\s+# exits (\d+)$/.exec(text);
  return { command: exits === null ? text : text.slice(0, exits.index), exits: Number(exits?.[1] ?? 0) };
}

function toPattern(expected: string, words: ReadonlyMap<string, string>): RegExp {
  const parts = expected
    .trim()
    .split(/(…|<\w+>|\s+)/)
    .map((part) => {
      if (part === '…') return '.*';
      if (/^\s+$/.test(part)) return '\\s+';
      const name = /^<(\w+)>$/.exec(part)?.[1];
      if (name === undefined) return RegExp.escape(part);
      const known = words.get(name);
      return known === undefined ? `(?<${name}>\\S+)` : RegExp.escape(known);
    });
  return new RegExp(`^\\s*${parts.join('')}\\s*$`);
}
