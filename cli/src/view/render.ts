import { relativeTime } from './relative-time.ts';
import { sanitise, sanitiseLine } from './sanitise.ts';
import type { Block, Cell, Line, Style, Table, View } from './view.ts';
import { fit, pad, widthOf } from './width.ts';

export interface Surface {
  colour: boolean;
  /** Columns of the terminal; undefined where nothing is cut. */
  columns: number | undefined;
  /** Times relative to this instant; undefined prints them as ISO. */
  now: number | undefined;
}

/** The view as text, ending in a line break; everything in it is sanitised here and nowhere else. */
export function render(view: View, surface: Surface): string {
  return view.map((block) => renderBlock(block, surface)).join('');
}

export function renderLine(line: Line, surface: Surface): string {
  const cells = Array.isArray(line) ? line : [line];
  return cells.map((cell) => paint(plain(cell, surface), styleOf(cell), surface)).join('');
}

function renderBlock(block: Block, surface: Surface): string {
  if ('line' in block) return `${renderLine(block.line, surface)}\n`;
  if ('table' in block) return renderTable(block.table, surface);
  if ('fields' in block) return renderFields(block.fields, surface);
  return block.verbatim === '' ? '' : `${sanitise(block.verbatim.replaceAll('\r\n', '\n').replace(/\n$/, ''))}\n`;
}

function renderFields(pairs: [string, Line][], surface: Surface): string {
  const width = Math.max(...pairs.map(([label]) => widthOf(label)), 0);
  return pairs
    .map(
      ([label, value]) =>
        `${paint(pad(sanitiseLine(label), width), 'faint', surface)}  ${renderLine(value, surface)}\n`,
    )
    .join('');
}

const gap = '  ';

function renderTable({ columns, rows, empty }: Table, surface: Surface): string {
  if (rows.length === 0) return `${sanitiseLine(empty)}\n`;
  const texts = rows.map((row) => row.map((cell) => plain(cell, surface)));
  const natural = columns.map((column, n) => Math.max(widthOf(column), ...texts.map((row) => widthOf(row[n] ?? ''))));
  const widths =
    surface.columns === undefined ? natural : shrink(natural, surface.columns - gap.length * (columns.length - 1));
  const print = (cells: readonly string[], styles: (Style | undefined)[]): string =>
    `${cells
      .map((cell, n) => {
        const width = widths[n] ?? 0;
        const text = fit(cell, width);
        return paint(n === cells.length - 1 ? text : pad(text, width), styles[n], surface);
      })
      .join(gap)
      .trimEnd()}\n`;
  const head = print(
    columns.map((column) => column.toUpperCase()),
    columns.map(() => 'faint'),
  );
  return head + texts.map((cells, n) => print(cells, (rows[n] ?? []).map(styleOf))).join('');
}

/** Takes from the widest column first, so that short ones (states, versions) stay whole; never below six. */
function shrink(widths: number[], room: number): number[] {
  const shrunk = [...widths];
  let excess = shrunk.reduce((sum, each) => sum + each, 0) - room;
  while (excess > 0) {
    const widest = shrunk.indexOf(Math.max(...shrunk));
    if ((shrunk[widest] ?? 0) <= 6) break;
    shrunk[widest] = (shrunk[widest] ?? 0) - 1;
    excess -= 1;
  }
  return shrunk;
}

/** What a server of another version leaves out prints like what is not there. */
function plain(cell: Cell | undefined, surface: Surface): string {
  if (cell === null || cell === undefined) return '-';
  if (typeof cell === 'number') return String(cell);
  if (typeof cell === 'string') return sanitiseLine(cell);
  if ('time' in cell) return sanitiseLine(surface.now === undefined ? cell.time : relativeTime(cell.time, surface.now));
  return sanitiseLine(cell.text);
}

function styleOf(cell: Cell | undefined): Style | undefined {
  return typeof cell === 'object' && cell !== null && 'style' in cell ? cell.style : undefined;
}

const codes = { strong: '1', faint: '2', good: '32', bad: '31', warn: '33', link: '36' } as const satisfies Record<
  Style,
  string
>;

function paint(text: string, style: Style | undefined, surface: Surface): string {
  return style === undefined || !surface.colour || text === '' ? text : `\u001b[${codes[style]}m${text}\u001b[0m`;
}
