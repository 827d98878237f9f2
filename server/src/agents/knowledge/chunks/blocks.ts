// The blocks of a markdown text: paragraphs, tables and fenced code, with the headings above them. One pass over the lines.

export interface Block {
  /** Characters in the text. A heading is in the block below it. */
  start: number;
  end: number;
  /** The same array for all blocks of one section. */
  headings: string[];
  /** A table or code: a part of it begins and ends with a line. */
  is_lines: boolean;
  /** The first row of a table, which says what the others mean. */
  head_row?: string;
}

const longest_heading = 200;
const longest_head_row = 500;
/** A longer line is no heading and no fence. */
const longest_line = 1000;

export function blocksOf(text: string): Block[] {
  const blocks: Block[] = [];
  const path: { level: number; title: string }[] = [];
  let headings: string[] = [];
  let open: { start: number; hasBody: boolean; kind: 'text' | 'table' | 'code'; head_row?: string } | undefined;
  let fence: string | undefined;
  let before: Line = { at: 0, text: '' };
  const close = (end: number) => {
    if (open !== undefined && end > open.start) {
      const { start, kind, head_row } = open;
      blocks.push({ start, end, headings, is_lines: kind !== 'text', ...(head_row !== undefined && { head_row }) });
    }
    open = undefined;
  };
  const section = (level: number, title: string, at: number) => {
    // The heading of a part is in the first block of that part, also when another heading is between them.
    const isInside = open?.hasBody === false && (path.at(-1)?.level ?? 6) < level;
    if (!isInside) close(at);
    while ((path.at(-1)?.level ?? 0) >= level) path.pop();
    path.push({ level, title: title.slice(0, longest_heading) });
    headings = path.map((one) => one.title);
    open ??= { start: at, hasBody: false, kind: 'text' };
  };
  /** A table and code are blocks of their own, with the heading above them. */
  const begin = (kind: 'table' | 'code', at: number) => {
    if (open?.hasBody === true && open.start < at) close(at);
    open = { start: open?.start ?? at, hasBody: true, kind };
  };
  for (const { at, end, text: line } of linesOf(text)) {
    const opening = fenceIn(line);
    const heading = /^(#{1,6}) {1,3}(\S.*)$/.exec(line);
    const underline = /^ {0,3}(=+|-+)$/.exec(line)?.[1];
    if (fence !== undefined) {
      if (closes(line, fence)) {
        fence = undefined;
        close(end);
      }
    } else if (opening !== undefined) {
      begin('code', at);
      fence = opening;
    } else if (heading !== null) section(heading[1]?.length ?? 1, heading[2] ?? '', at);
    else if (underline !== undefined && isTitle(before) && open?.kind === 'text') {
      // The line before is the only one of its paragraph, or it is no title.
      if (open.start === before.at || blankAbove(text, before.at)) {
        const { start } = open;
        open = start === before.at ? undefined : { start, hasBody: false, kind: 'text' };
        section(underline.startsWith('=') ? 1 : 2, before.text.trim(), before.at);
      }
    } else if (line === '') {
      // A heading stays with what follows it.
      if (open?.hasBody === true) close(end);
    } else {
      if (open?.kind === 'text' && isDelimiterRow(line) && before.text.includes('|')) {
        begin('table', before.at);
        open.head_row = plainRow(before.text);
      }
      open = { ...(open ?? { start: at, kind: 'text' }), hasBody: true };
    }
    before = { at, text: line };
  }
  close(text.length);
  return blocks;
}

interface Line {
  at: number;
  text: string;
}

function* linesOf(text: string): Generator<Line & { end: number }> {
  for (let at = 0; at < text.length;) {
    const newline = text.indexOf('\n', at);
    const end = newline < 0 ? text.length : newline + 1;
    yield { at, end, text: text.slice(at, Math.min(end, at + longest_line)).trimEnd() };
    at = end;
  }
}

/** The characters that begin code. A line with code between backticks is none. */
function fenceIn(line: string): string | undefined {
  const [, mark = '', rest = ''] = /^ {0,3}(`{3,}|~{3,})(.*)$/.exec(line) ?? [];
  return mark === '' || (mark.startsWith('`') && rest.includes('`')) ? undefined : mark;
}

/** The same character, at least as often, and nothing behind it. */
function closes(line: string, fence: string): boolean {
  const mark = /^ {0,3}(`{3,}|~{3,})$/.exec(line)?.[1];
  return mark !== undefined && mark.startsWith(fence);
}

/** No item of a list, quote, row or code. */
const isTitle = ({ text }: Line) =>
  text !== '' && text.length <= longest_heading && /^ {0,3}(?![-*+>|#] |>|\||\d{1,9}[.)] )\S/.test(text);

const blankAbove = (text: string, at: number) => /\n[ \t\r]*\n$/.test(text.slice(Math.max(0, at - 100), at));

/** Two columns or more: one alone is a line under a title. */
const isDelimiterRow = (line: string) =>
  line.includes('|') && line.includes('-') && /^ {0,3}\|?(?: *:?-+:? *\|)* *(?::?-+:? *)?$/.test(line);

const plainRow = (row: string) =>
  row
    .trim()
    .replace(/^\||\|$/g, '')
    .trim()
    .slice(0, longest_head_row);
