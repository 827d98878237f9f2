import type { CallFigures } from '@gantry/contract/agents/deploy.ts';
import type { Reader } from '../../ground/database/database.ts';
import * as store from './figures-store.ts';
import { quantile } from './latency.ts';

/** The figures of the last 24 hours, by agent. */
export async function dailyFigures(
  db: Reader,
  agent_ids: readonly string[],
): Promise<{ of(agent_id: string): CallFigures; isUnpaid(agent_id: string): boolean }> {
  const rows = await store.figuresOfDay(db, agent_ids);
  const figures = new Map(
    rows.map(({ agent_id, calls, errors, blocked, latency }) => [
      agent_id,
      { calls, errors, blocked, p50_ms: quantile(latency, 0.5), p95_ms: quantile(latency, 0.95) },
    ]),
  );
  const unpaid = new Set(rows.flatMap(({ agent_id, is_unpaid }) => (is_unpaid ? [agent_id] : [])));
  const nothing = { calls: 0, errors: 0, blocked: 0, p50_ms: null, p95_ms: null };
  return { of: (agent_id) => figures.get(agent_id) ?? nothing, isUnpaid: (agent_id) => unpaid.has(agent_id) };
}
