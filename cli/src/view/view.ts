// The output for people, as data. Commands build views; only output.ts prints them, without characters that control a terminal. So no
// server text can move the cursor, and no command handles colour or width.

export type Style = 'strong' | 'faint' | 'good' | 'bad' | 'warn' | 'link';
export type Text = string | { text: string; style: Style };
/** A time is relative for people at a terminal, and ISO elsewhere. */
export type Cell = Text | { time: string } | number | null;
export type Line = Cell | Cell[];

export interface Column {
  name: string;
  /** Its words may wrap; other columns stay whole, because people copy and type them. */
  prose: boolean;
}

export interface Table {
  columns: readonly (string | Column)[];
  rows: Cell[][];
  /** The sentence for an empty list, with the command that creates the first one. */
  empty: string;
}

export type Block =
  /** A whole line is never wrapped: a command to copy, code, or a program's output. */
  { line: Line; whole?: true } | { table: Table } | { fields: [label: string, value: Line][] } | { verbatim: string };
export type View = Block[];

export function line(...cells: Cell[]): Block {
  return { line: cells };
}

export function whole(...cells: Cell[]): Block {
  return { line: cells, whole: true };
}

export const prose = (name: string): Column => ({ name, prose: true });

export function table(columns: Table['columns'], rows: Cell[][], empty: string): Block {
  return { table: { columns, rows, empty } };
}

/** Labels with their values, aligned; labels without a value are left out. */
export function fields(record: Record<string, Line | undefined>): Block {
  const shown = Object.entries(record).filter(
    (entry): entry is [string, Line] => entry[1] !== undefined && entry[1] !== null,
  );
  return { fields: shown };
}

/** Text of many lines that stays unchanged, such as a log or an answer. */
export function verbatim(text: string): Block {
  return { verbatim: text };
}

export const strong = (text: string): Text => ({ text, style: 'strong' });
export const faint = (text: string): Text => ({ text, style: 'faint' });
export const good = (text: string): Text => ({ text, style: 'good' });
export const bad = (text: string): Text => ({ text, style: 'bad' });
export const warn = (text: string): Text => ({ text, style: 'warn' });
export const link = (text: string): Text => ({ text, style: 'link' });

export function time(iso: string | null): Cell {
  return iso === null ? null : { time: iso };
}

/** The start of a digest, enough to distinguish two; the whole one would fill the row. */
export function shortDigest(digest: string): Text {
  return faint(digest.slice(0, 'sha256:'.length + 12));
}

/** The state's name in its colour. */
export function state(name: string): Text {
  if (/^(done|serving|approved|ok|pass|final|ready|added)$/.test(name)) return good(name);
  if (/^(failed|rejected|problem|fail|damaged|refused|removed|needs_attention)$/.test(name)) return bad(name);
  if (/^(pending|queued|running|starting|warning|notice|cancelling|unanchored|draft|changed|unknown)$/.test(name))
    return warn(name);
  return name;
}
