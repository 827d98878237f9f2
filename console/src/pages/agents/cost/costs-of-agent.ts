import type { CostReport } from '@gantry/contract/models/costs.ts';

export interface ModelCost {
  model: string;
  usd: number;
  calls: number;
  input_tokens: number;
  output_tokens: number;
}

/** The cost of each model on a day, by the model's name. */
export interface DayCost {
  /** `2026-11-22` */
  day: string;
  usd: Readonly<Record<string, number>>;
}

/** The dearest first. */
export function costsByModel({ rows }: CostReport): ModelCost[] {
  return [...Map.groupBy(rows, modelOf)]
    .map(([model, all]) => ({
      model,
      usd: sum(all.map(({ usd }) => Number(usd))),
      calls: sum(all.map(({ calls }) => calls)),
      input_tokens: sum(all.map(({ input_tokens }) => input_tokens)),
      output_tokens: sum(all.map(({ output_tokens }) => output_tokens)),
    }))
    .toSorted((one, other) => other.usd - one.usd);
}

/** One entry for each day until `today_ms`, also for those without calls. */
export function costsByDay({ rows }: CostReport, days: number, today_ms: number): DayCost[] {
  const known = Map.groupBy(rows, ({ of }) => of.day ?? '');
  return Array.from({ length: days }, (_, n) => {
    const day = new Date(today_ms - (days - 1 - n) * 86_400_000).toISOString().slice(0, 10);
    return { day, usd: Object.fromEntries((known.get(day) ?? []).map((row) => [modelOf(row), Number(row.usd)])) };
  });
}

function modelOf({ of }: CostReport['rows'][number]): string {
  return of.model ?? 'unknown';
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((all, one) => all + one, 0);
}
