// A table at a terminal. It cuts nothing, because a cut id or reference cannot be typed again. Prose wraps at words. Columns without space
// go below their row, each with its name. Without a terminal, a row is a line.
import { wrapAnsi } from 'fast-wrap-ansi';
import type { Column, Style } from './view.ts';
import { pad, widthOf } from './width.ts';

export interface TableCell {
  text: string;
  style: Style | undefined;
  /** True when there is no value. */
  isEmpty: boolean;
}

export interface TableToRender {
  columns: readonly Column[];
  rows: readonly (readonly TableCell[])[];
  /** The terminal's width; undefined when nothing wraps. */
  room: number | undefined;
  paint: (text: string, style: Style | undefined) => string;
}

const gap = '  ';
const indent = '    ';
/** Narrower prose is more readable below its row. */
const least_prose = 20;

export function renderTable({ columns, rows, room, paint }: TableToRender): string {
  const widths = widthsOf(columns, rows, room);
  const head = columns.map(({ name }) => ({ text: name.toUpperCase(), style: 'faint' as const, isEmpty: false }));
  const printed = [
    ...besideEachOther(head, widths, paint),
    ...rows.flatMap((row) => [
      ...besideEachOther(row, widths, paint),
      ...(room === undefined ? [] : below(row.slice(widths.length), columns.slice(widths.length), { room, paint })),
    ]),
  ];
  return printed.map((line) => `${line}\n`).join('');
}

/** The columns beside each other: as many from the first one on as fit. */
function widthsOf(
  columns: readonly Column[],
  rows: TableToRender['rows'],
  room: number | undefined,
): readonly number[] {
  const natural = columns.map(({ name }, n) =>
    Math.max(widthOf(name), ...rows.map((row) => widthOf(row[n]?.text ?? ''))),
  );
  if (room === undefined) return natural;
  const widths: number[] = [];
  let left = room + gap.length;
  for (const [n, width] of natural.entries()) {
    const least = columns[n]?.prose === true ? Math.min(width, least_prose) : width;
    left -= least + gap.length;
    if (left < 0 && n > 0) {
      left += least + gap.length;
      break;
    }
    widths.push(least);
  }
  for (const [n, width] of widths.entries()) {
    const more = Math.max(0, Math.min((natural[n] ?? 0) - width, left));
    widths[n] = width + more;
    left -= more;
  }
  return widths;
}

function besideEachOther(
  cells: readonly TableCell[],
  widths: readonly number[],
  paint: TableToRender['paint'],
): string[] {
  const wrapped = widths.map((width, n) => wrap(cells[n]?.text ?? '', width));
  const height = Math.max(...wrapped.map((lines) => lines.length));
  return Array.from({ length: height }, (_, at) => {
    const last = wrapped.findLastIndex((lines) => (lines[at] ?? '') !== '');
    return wrapped
      .slice(0, last + 1)
      .map((lines, n) => {
        const text = lines[at] ?? '';
        return paint(text, cells[n]?.style) + (n === last ? '' : pad('', (widths[n] ?? 0) - widthOf(text)));
      })
      .join(gap);
  });
}

/** `by user:ada@example.com  submitted 3 min ago`; prose begins on a new line. */
function below(
  cells: readonly TableCell[],
  columns: readonly Column[],
  { room, paint }: { room: number; paint: TableToRender['paint'] },
): string[] {
  const lines: { width: number; text: string }[] = [];
  for (const [n, { text, style, isEmpty }] of cells.entries()) {
    const column = columns[n];
    if (isEmpty || text === '' || column === undefined) continue;
    const label = column.name === '' ? '' : `${column.name} `;
    if (column.prose) {
      const parts = wrap(label + text, room - indent.length);
      const styled = parts.map((part, at) =>
        at === 0 ? paint(label, 'faint') + paint(part.slice(label.length), style) : paint(part, style),
      );
      lines.push(...styled.map((part) => ({ width: Infinity, text: part })));
      continue;
    }
    const part = paint(label, 'faint') + paint(text, style);
    const width = widthOf(label) + widthOf(text);
    const line = lines.at(-1);
    if (line !== undefined && indent.length + line.width + gap.length + width <= room) {
      line.width += gap.length + width;
      line.text += gap + part;
    } else lines.push({ width, text: part });
  }
  return lines.map(({ text }) => indent + text);
}

function wrap(text: string, columns: number): string[] {
  return widthOf(text) <= columns ? [text] : wrapAnsi(text, columns, { hard: true }).split('\n');
}
