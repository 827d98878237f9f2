import type { CostReport } from '@gantry/contract/costs.ts';
import { csv } from '@gantry/contract/csv.ts';

/** As `svc costs --csv` prints it. */
export function costsCsv({ by, rows }: CostReport): string {
  return csv(
    [...by, 'usd', 'calls', 'input tokens', 'output tokens', 'estimated'],
    rows.map(({ of, usd, calls, input_tokens, output_tokens, estimated_calls }) => [
      ...by.map((name) => of[name] ?? '-'),
      usd,
      calls,
      input_tokens,
      output_tokens,
      estimated_calls,
    ]),
  );
}
