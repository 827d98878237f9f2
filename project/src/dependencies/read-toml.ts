// TOML text → plain values, with line numbers. The text is hostile, so its length, its longest line and its tables are bounded before
// the parser runs. With these bounds a file costs less than a second of one slow core.
import { parse, TomlError } from 'smol-toml';
import type { Finding } from '../finding.ts';
import { fault } from './fault.ts';

/** Values have no prototype, so a key such as `__proto__` is an ordinary key. */
export type TomlTable = Readonly<Record<string, unknown>>;

export interface TomlFile {
  file: string;
  text: string;
  value: TomlTable;
}

export const tomlLimits = {
  pyproject_characters: 262_144,
  requirements: 1_000,
  lock_characters: 3_000_000,
  packages: 5_000,
  line_characters: 16_384,
  tables: 10_000,
  depth: 32,
} as const;

export function readToml(file: string, text: string, characters: number): TomlFile | Finding {
  const place = { file };
  if (text.length > characters)
    return fault(place, 'file_too_large', `${file} has ${text.length} characters; at most ${characters} are read`);
  const lines = text.split('\n');
  const long = lines.findIndex((line) => line.length > tomlLimits.line_characters);
  if (long >= 0)
    return fault(
      { file, line: long + 1 },
      'file_too_large',
      `This line is longer than ${tomlLimits.line_characters} characters`,
    );
  if (lines.filter((line) => /^\s*\[/.test(line)).length > tomlLimits.tables)
    return fault(place, 'file_too_large', `${file} has more than ${tomlLimits.tables} tables`);
  try {
    const value: TomlTable = parse(text, { maxDepth: tomlLimits.depth, integersAsBigInt: 'asNeeded' });
    return { file, text, value };
  } catch (error) {
    if (!(error instanceof TomlError)) throw error;
    const [message = ''] = error.message.replace('Invalid TOML document: ', '').split('\n');
    return {
      ...fault({ file, line: error.line }, 'toml_syntax', `${file} is not TOML: ${message}`),
      column: error.column,
    };
  }
}

/** The table at this path; undefined when there is none. */
export function tableAt(value: unknown, ...path: string[]): TomlTable | undefined {
  let table: unknown = value;
  for (const key of path) {
    if (!isTable(table)) return undefined;
    table = table[key];
  }
  return isTable(table) ? table : undefined;
}

export function isTable(value: unknown): value is TomlTable {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof Date);
}

export const textAt = (table: TomlTable | undefined, key: string): string | undefined => {
  const value = table?.[key];
  return typeof value === 'string' ? value : undefined;
};

/** The line of each key of a table, below `[header]` or as `[header.key]`. A key in another form gets the line of the header. */
export function keyLines({ text }: TomlFile, header: string): (key: string) => number {
  const lines = new Map<string, number>();
  let first = 1;
  let within = false;
  for (const [index, line] of text.split('\n').entries()) {
    // One repetition for the spaces: several would cost the cube of a long line's length.
    const opened = /^\s*\[\[?([^\]]+)\]/.exec(line)?.[1]?.replaceAll(/["'\s]/g, '');
    if (opened !== undefined) {
      within = opened === header;
      if (within) first = index + 1;
      else if (opened.startsWith(`${header}.`)) note(lines, opened.slice(header.length + 1), index + 1);
    } else if (within) {
      const key = /^\s*(?:"([^"]+)"|'([^']+)'|([A-Za-z0-9_-]+))\s*[=.]/.exec(line)?.slice(1).find(Boolean);
      if (key !== undefined) note(lines, key, index + 1);
    }
  }
  return (key) => lines.get(key) ?? first;
}

function note(lines: Map<string, number>, key: string, line: number): void {
  if (!lines.has(key)) lines.set(key, line);
}

/** The lines of consecutive texts in a list, each in quotes. A text that is not found gets the previous line. */
export function textLines({ text }: TomlFile, start: number): (value: string) => number {
  let line = start;
  let from = lineStart(text, start);
  return (value) => {
    const at = [`"${value}"`, `'${value}'`].map((quoted) => text.indexOf(quoted, from)).filter((index) => index >= 0);
    if (at.length === 0) return line;
    const found = Math.min(...at);
    line += text.slice(from, found).split('\n').length - 1;
    from = found;
    return line;
  };
}

function lineStart(text: string, line: number): number {
  let offset = 0;
  for (let count = 1; count < line; count++) offset = text.indexOf('\n', offset) + 1;
  return offset;
}
