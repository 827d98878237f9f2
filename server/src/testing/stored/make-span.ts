import { randomBytes } from 'node:crypto';
import type { Database } from '../../ground/database/database.ts';
import type { Span } from '../../models/traces/span.ts';
import { openTracing } from '../../models/traces/tracing.ts';

/** A span of a call to an agent, a second long, with a content. */
export function makeSpan(given: Partial<Span> = {}): Span {
  const now_us = Date.now() * 1000;
  return {
    trace_id: randomBytes(16).toString('hex'),
    span_id: randomBytes(8).toString('hex'),
    parent_id: null,
    name: 'invoke',
    kind: 'agent',
    source: 'ingress',
    agent_id: null,
    revision_id: null,
    run_id: null,
    team_id: null,
    caller_id: null,
    started_us: now_us - 1_000_000,
    ended_us: now_us,
    status: 'ok',
    model: null,
    provider: null,
    input_tokens: null,
    output_tokens: null,
    cost_nano_usd: null,
    input: 'a question',
    output: 'an answer',
    error: null,
    attributes: {},
    ...given,
  };
}

/** As a process of the service does it. Throws for a span that is not stored. */
export async function storeSpans(db: Database, spans: readonly Span[]): Promise<void> {
  const faults: unknown[] = [];
  const storing = openTracing({
    db,
    figures_db: db,
    export: undefined,
    findLabels: async () => await Promise.resolve([]),
    version: '1',
    sampling: { share: 1, slow_ms: 1 },
    keep_days: 14,
    max_bytes: 1024 ** 4,
    freeBytes: undefined,
    onError: (error) => faults.push(error),
  });
  storing.add(spans);
  await storing.close();
  if (faults.length > 0) throw new AggregateError(faults);
}
