import { quantile } from '../load/sampling.ts';
import type { Row } from './row.ts';

const heads = ['measure', 'goal', 'p50', 'p99', 'bare p50', 'bare p99', 'ratio', 'verdict', 'how'];

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
  const ratio = row.bare === undefined || row.samples.length === 0 ? '' : times(ratioOf(row.samples, row.bare));
  return [
    row.measure,
    goalOf(row),
    ...quantiles(row.samples, row.unit),
    ...(row.bare === undefined ? ['', ''] : quantiles(row.bare, row.unit)),
    ratio,
    verdictOf(row),
    row.how,
  ];
}

function quantiles(samples: readonly number[], unit: Row['unit']): [p50: string, p99: string] {
  if (samples.length === 0) return ['', ''];
  // Few samples have no rare values, and the worst rate is the lowest.
  const p99 = samples.length < 30 || unit.endsWith('/s') ? '' : shown(quantile(samples, 0.99), unit);
  return [shown(quantile(samples, 0.5), unit), p99];
}

function goalOf({ bare, at_most, p99_at_most, at_least, unit }: Row): string {
  const goal = (value: number) => (bare === undefined ? shown(value, unit) : times(value));
  if (at_most !== undefined) return `≤ ${goal(at_most)}`;
  if (p99_at_most !== undefined) return `p99 ≤ ${goal(p99_at_most)}`;
  return at_least === undefined ? '' : `≥ ${goal(at_least)}`;
}

function verdictOf({ samples, bare, at_most, p99_at_most, at_least }: Row): string {
  if (samples.length === 0) return 'not measured';
  const value = bare === undefined ? quantile(samples, 0.5) : ratioOf(samples, bare);
  if (at_most !== undefined) return value <= at_most ? 'met' : 'missed';
  if (p99_at_most !== undefined) return quantile(samples, 0.99) <= p99_at_most ? 'met' : 'missed';
  if (at_least !== undefined) return value >= at_least ? 'met' : 'missed';
  return '';
}

export const ratioOf = (samples: readonly number[], bare: readonly number[]) =>
  quantile(samples, 0.5) / quantile(bare, 0.5);

const times = (ratio: number) => `${ratio.toFixed(2)} ×`;

function shown(value: number, unit: Row['unit']): string {
  return `${value >= 100 ? value.toFixed(0) : value >= 10 ? value.toFixed(1) : value.toFixed(2)} ${unit}`;
}
