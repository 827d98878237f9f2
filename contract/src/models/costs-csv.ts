import type { CostReport } from './costs.ts';
import { csv } from '../formats/csv.ts';

export function costColumns({ by }: CostReport): string[] {
  return [...by, 'usd', 'calls', 'input tokens', 'output tokens', 'estimated', 'estimated usd'];
}

/** One row of cells for each row of the report, in the order of its columns. */
export function costCells({ by, rows }: CostReport) {
  return rows.map(({ of, usd, calls, input_tokens, output_tokens, estimated_calls, estimated_usd }) => [
    ...by.map((name) => of[name] ?? '-'),
    usd,
    calls,
    input_tokens,
    output_tokens,
    estimated_calls,
    estimated_usd,
  ]);
}

export function costsCsv(report: CostReport): string {
  return csv(costColumns(report), costCells(report));
}
