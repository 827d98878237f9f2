import { quantile } from './sampling.ts';
import type { Row } from './row.ts';

const heads = ['measure', 'target', 'p50', 'p99', 'verdict', 'how'];

/** For a terminal: columns in line. */
export function printTable(rows: readonly Row[]): string {
  const lines = [heads, ...rows.map(cells)];
  const widths = heads.map((_, n) => Math.max(...lines.map((line) => (line[n] ?? '').length)));
  return lines
    .map((line) => line.map((cell, n) => (n === heads.length - 1 ? cell : cell.padEnd(widths[n] ?? 0))).join('  '))
    .join('\n');
}

export function markdownTable(rows: readonly Row[]): string {
  const line = (of: readonly string[]) => `| ${of.join(' | ')} |`;
  return [line(heads), line(heads.map(() => '---')), ...rows.map((row) => line(cells(row)))].join('\n');
}

function cells(row: Row): string[] {
  const p50 = quantile(row.samples, 0.5);
  // One or two samples have no rare cases, and the worst of a rate is its lowest.
  const p99 = row.samples.length < 3 || row.unit.endsWith('/s') ? '' : shown(quantile(row.samples, 0.99), row.unit);
  return [row.measure, targetOf(row), shown(p50, row.unit), p99, verdictOf(row), row.how];
}

function targetOf({ at_most, p99_at_most, at_least, unit }: Row): string {
  if (at_most !== undefined) return `≤ ${shown(at_most, unit)}`;
  if (p99_at_most !== undefined) return `p99 ≤ ${shown(p99_at_most, unit)}`;
  return at_least === undefined ? '' : `≥ ${shown(at_least, unit)}`;
}

function verdictOf({ samples, at_most, p99_at_most, at_least }: Row): string {
  const [p50, p99] = [quantile(samples, 0.5), quantile(samples, 0.99)];
  if (at_most !== undefined) return p50 <= at_most ? 'met' : 'missed';
  if (p99_at_most !== undefined) return p99 <= p99_at_most ? 'met' : 'missed';
  if (at_least !== undefined) return p50 >= at_least ? 'met' : 'missed';
  return '';
}

function shown(value: number, unit: Row['unit']): string {
  return `${value >= 100 ? value.toFixed(0) : value >= 10 ? value.toFixed(1) : value.toFixed(2)} ${unit}`;
}
