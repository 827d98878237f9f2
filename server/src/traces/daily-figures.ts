import type { CallFigures } from '@gantry/contract/deploy.ts';
import type { Reader } from '../database/database.ts';
import * as store from './figures-store.ts';
import { quantile } from './latency.ts';

/** Of the last 24 hours, by agent. */
export async function dailyFigures(
  db: Reader,
  agent_ids: readonly string[],
): Promise<{ of(agent_id: string): CallFigures }> {
  const rows = await store.figuresOfDay(db, agent_ids);
  const figures = new Map(
    rows.map(({ agent_id, calls, errors, latency }) => [
      agent_id,
      { calls, errors, p50_ms: quantile(latency, 0.5), p95_ms: quantile(latency, 0.95) },
    ]),
  );
  return { of: (agent_id) => figures.get(agent_id) ?? { calls: 0, errors: 0, p50_ms: null, p95_ms: null } };
}
