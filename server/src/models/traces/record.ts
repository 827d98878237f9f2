// Spans as the API answers them.
import { formatUsd } from '@gantry/contract/formats/money.ts';
import type { Span as SpanRecord, TraceEntry } from '@gantry/contract/models/traces.ts';
import type { SignedInCaller } from '../../governance/access/caller.ts';
import type { Reader } from '../../ground/database/database.ts';
import { findAssetsById, type AssetRecord } from '../../assets/registry/find.ts';
import { readsContent, readsSpan } from './policy.ts';
import type { Span } from './span.ts';
import type { EntryRow } from './store.ts';

export type AgentsOfSpans = ReadonlyMap<string, AssetRecord>;

export async function agentsOf(db: Reader, caller: SignedInCaller, spans: readonly Span[]): Promise<AgentsOfSpans> {
  const ids = new Set(spans.flatMap(({ agent_id }) => agent_id ?? []));
  return new Map((await findAssetsById(db, [...ids], caller)).map((agent) => [agent.id, agent]));
}

/** Undefined for a span that the caller may not read. */
export function toEntry(caller: SignedInCaller, agents: AgentsOfSpans, row: EntryRow): TraceEntry | undefined {
  const agent = agents.get(row.agent_id ?? '');
  if (!readsSpan(caller, row, agent)) return undefined;
  return {
    trace_id: row.trace_id,
    ...commonOf(row, agent),
    input_tokens: row.sum_input_tokens,
    output_tokens: row.sum_output_tokens,
    usd: usdOf(row.sum_nano_usd),
  };
}

/** Undefined for a span that the caller may not read. */
export function toRecord(caller: SignedInCaller, agents: AgentsOfSpans, span: Span): SpanRecord | undefined {
  const agent = agents.get(span.agent_id ?? '');
  if (!readsSpan(caller, span, agent)) return undefined;
  const isShown = readsContent(caller, span, agent);
  const isRecorded = span.input !== null || span.output !== null;
  return {
    ...commonOf(span, agent),
    parent_id: span.parent_id,
    revision_id: span.revision_id,
    model: span.model,
    provider: span.provider,
    input: isShown ? span.input : null,
    output: isShown ? span.output : null,
    content: isRecorded ? (isShown ? 'shown' : 'not_permitted') : 'none',
    attributes: { ...span.attributes },
  };
}

function commonOf(span: Span, agent: AssetRecord | undefined) {
  const { span_id, name, kind, source, run_id, started_us, ended_us, status, error } = span;
  return {
    span_id,
    name,
    kind,
    source,
    agent: agent?.name ?? null,
    run_id,
    started_at: new Date(started_us / 1000).toISOString(),
    duration_ms: (ended_us - started_us) / 1000,
    status,
    error,
    input_tokens: span.input_tokens,
    output_tokens: span.output_tokens,
    usd: usdOf(span.cost_nano_usd),
  };
}

function usdOf(nano: number | null): string | null {
  return nano === null ? null : formatUsd(nano);
}
