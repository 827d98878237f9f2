import { formatUsd } from '@gantry/contract/formats/money.ts';
import { Problem } from '@gantry/contract/problems.ts';
import type { Trace } from '@gantry/contract/models/traces.ts';
import { authorize } from '../../governance/access/authorize.ts';
import type { Caller } from '../../governance/access/caller.ts';
import { theOrg } from '../../governance/access/subject.ts';
import type { Database } from '../../ground/database/database.ts';
import { signedIn } from '../../people/principals/signed-in.ts';
import { feedbackIn } from './feedback.ts';
import { agentsOf, toRecord } from './record.ts';
import type { Span } from './span.ts';
import * as store from './store.ts';

const max_spans = 2000;

/** Throws `not_found` for a trace without a span that the caller may read. */
export async function showTrace(db: Database, caller: Caller, trace_id: string): Promise<Trace> {
  const user = signedIn(caller);
  authorize(user, 'trace.read', theOrg);
  const rows = withCallers(await store.spansOfTrace(db, user, { trace_id, limit: max_spans }));
  const agents = await agentsOf(db, user, rows);
  const shown = rows.flatMap((row) => {
    const record = toRecord(user, agents, row);
    return record === undefined ? [] : [{ row, record }];
  });
  const started_us = Math.min(...shown.map(({ row }) => row.started_us));
  const ended_us = Math.max(...shown.map(({ row }) => row.ended_us));
  if (shown.length === 0) throw new Problem('not_found');
  const paid = shown.map(({ row }) => row).filter(({ source }) => source === 'gateway');
  const sum = (of: 'input_tokens' | 'output_tokens' | 'cost_nano_usd') =>
    paid.reduce((total, row) => total + (row[of] ?? 0), 0);
  return {
    trace_id,
    started_at: new Date(started_us / 1000).toISOString(),
    duration_ms: (ended_us - started_us) / 1000,
    status: shown.some(({ record }) => record.status === 'error') ? 'error' : 'ok',
    input_tokens: sum('input_tokens'),
    output_tokens: sum('output_tokens'),
    usd: formatUsd(sum('cost_nano_usd')),
    spans: shown.map(({ record }) => record),
    feedback: await feedbackIn(db, user, { spans: rows, agents }),
  };
}

/** Only the service knows the caller of a run, so a span of the agent's code has the caller of its run. */
function withCallers(rows: readonly Span[]): Span[] {
  const runOf = ({ agent_id, run_id }: Span) => `${agent_id} ${run_id}`;
  const callers = new Map(
    rows.filter(({ source }) => source === 'ingress').map((row) => [runOf(row), row.caller_id] as const),
  );
  return rows.map((row) => ({ ...row, caller_id: row.caller_id ?? callers.get(runOf(row)) ?? null }));
}
