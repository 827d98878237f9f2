import { renderTable, type TableCell } from './render-table.ts';
import { relativeTime } from './relative-time.ts';
import { sanitise, sanitiseLine } from './sanitise.ts';
import type { Block, Cell, Line, Style, Table, View } from './view.ts';
import { pad, widthOf } from './width.ts';
import { wrapSentence } from './wrap-sentence.ts';

export interface Surface {
  colour: boolean;
  /** The terminal's columns; undefined when nothing is cut. */
  columns: number | undefined;
  /** Times are relative to this instant; undefined prints ISO times. */
  now: number | undefined;
}

/** The view as text with a final line break. All of its text is sanitised here and nowhere else. */
export function render(view: View, surface: Surface): string {
  return view.map((block) => renderBlock(block, surface)).join('');
}

export function renderLine(line: Line, surface: Surface): string {
  const cells = Array.isArray(line) ? line : [line];
  return cells.map((cell) => paint(plain(cell, surface), styleOf(cell), surface)).join('');
}

function renderBlock(block: Block, surface: Surface): string {
  if ('line' in block) {
    const text = renderLine(block.line, surface);
    return `${block.whole === true ? text : wrapSentence(text, surface.columns)}\n`;
  }
  if ('table' in block) return renderOneTable(block.table, surface);
  if ('fields' in block) return renderFields(block.fields, surface);
  return block.verbatim === '' ? '' : `${sanitise(block.verbatim.replaceAll('\r\n', '\n').replace(/\n$/, ''))}\n`;
}

function renderFields(pairs: [string, Line][], surface: Surface): string {
  const width = Math.max(...pairs.map(([label]) => widthOf(label)), 0);
  return pairs
    .map(
      ([label, value]) =>
        `${wrapSentence(`${paint(pad(sanitiseLine(label), width), 'faint', surface)}  ${renderLine(value, surface)}`, surface.columns, width + 2)}\n`,
    )
    .join('');
}

function renderOneTable({ columns, rows, empty }: Table, surface: Surface): string {
  if (rows.length === 0) return `${sanitiseLine(empty)}\n`;
  return renderTable({
    columns: columns.map((column) => (typeof column === 'string' ? { name: column, prose: false } : column)),
    // A row can be shorter than the head: a server of another version omits columns.
    rows: rows.map((row) => columns.map((_, n) => tableCell(row[n], surface))),
    room: surface.columns,
    paint: (text, style) => paint(text, style, surface),
  });
}

function tableCell(cell: Cell | undefined, surface: Surface): TableCell {
  return { text: plain(cell, surface), style: styleOf(cell), isEmpty: cell === null || cell === undefined };
}

/** A value that another server version omits prints like an absent one. */
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
