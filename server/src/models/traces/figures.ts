// Counts calls to agents in memory and adds them to the database every ten seconds. A killed process loses at most these seconds. No sampling
// and no limit of traces touches the counts.
import type { ProblemCode } from '@gantry/contract/problems.ts';
import { apart } from '../../ground/database/apart.ts';
import type { Database } from '../../ground/database/database.ts';
import { bucketOf, newHistogram } from './latency.ts';
import * as store from './figures-store.ts';
import type { Span } from './span.ts';

export interface Figures {
  add(spans: readonly Span[]): void;
  flush(): Promise<void>;
  close(): Promise<void>;
}

const write_every_ms = 10_000;
const forget_every_ms = 3_600_000;
const run_days = 7;
export const figure_days = 30;
/** Further runs of these ten seconds are counted, and not listed. */
const max_runs = 10_000;
const max_batch = 500;

export function openFigures({ db, onError }: { db: Database; onError: (error: unknown) => void }): Figures {
  let figures = new Map<string, store.FigureRow>();
  let runs: store.RunRow[] = [];
  let writing: Promise<void> | undefined;

  function add(row: store.FigureRow): void {
    const key = `${row.agent_id} ${row.minute}`;
    const known = figures.get(key);
    figures.set(key, known === undefined ? row : sumOf(known, row));
  }

  async function write(): Promise<void> {
    const [new_runs, taken] = [runs, figures];
    runs = [];
    figures = new Map();
    const ended = await apart(new_runs, async (some) => {
      for (let from = 0; from < some.length; from += max_batch)
        await store.addRuns(db, some.slice(from, from + max_batch));
    });
    const added = await apart([...taken.values()], async (some) => await store.addFigures(db, some));
    runs = [...ended.left, ...runs].slice(0, max_runs);
    // When only the answer of the database was lost, these ten seconds count twice.
    for (const row of added.left) add(row);
    for (const { refused, away } of [ended, added]) {
      if (away !== undefined) onError(away);
      if (refused.length > 0)
        onError(new Error(`the database refuses ${refused.length} figures of calls`, { cause: refused[0]?.cause }));
    }
  }

  const flush = async () => {
    await writing;
    writing ??= write().finally(() => (writing = undefined));
    await writing;
  };
  const forget = async () => await store.forgetOld(db, { run_days, figure_days }).catch(onError);
  const timers = [setInterval(() => void flush(), write_every_ms), setInterval(() => void forget(), forget_every_ms)];

  return {
    add: (spans) => {
      for (const span of spans) {
        const { agent_id, run_id } = span;
        if (agent_id === null) continue;
        if (span.source === 'gateway') add({ ...figureOf(span, agent_id), ...paymentOf(span) });
        if (span.source !== 'ingress' || run_id === null) continue;
        add({ ...figureOf(span, agent_id), ...callOf(span) });
        if (runs.length < max_runs) runs.push(runOf(span, { agent_id, run_id }));
      }
    },
    flush,
    close: async () => {
      for (const timer of timers) clearInterval(timer);
      await flush();
    },
  };
}

function figureOf({ ended_us }: Span, agent_id: string): store.FigureRow {
  const minute = new Date(Math.floor(ended_us / 60e6) * 60_000).toISOString();
  return { agent_id, minute, calls: 0, errors: 0, blocked: 0, paid: 0, unpaid: 0, latency: newHistogram() };
}

function callOf({ started_us, ended_us, status, error }: Span): Partial<store.FigureRow> {
  const bucket = bucketOf((ended_us - started_us) / 1000);
  const latency = newHistogram().map((_, n) => (n === bucket ? 1 : 0));
  const isBlocked = error === ('guardrail_blocked' satisfies ProblemCode);
  return { calls: 1, errors: status === 'error' && !isBlocked ? 1 : 0, blocked: isBlocked ? 1 : 0, latency };
}

function paymentOf({ status, error }: Span): Partial<store.FigureRow> {
  const isUnpaid = error === ('budget_exceeded' satisfies ProblemCode);
  return { paid: status === 'ok' ? 1 : 0, unpaid: isUnpaid ? 1 : 0 };
}

function sumOf(one: store.FigureRow, other: store.FigureRow): store.FigureRow {
  return {
    ...one,
    calls: one.calls + other.calls,
    errors: one.errors + other.errors,
    blocked: one.blocked + other.blocked,
    paid: one.paid + other.paid,
    unpaid: one.unpaid + other.unpaid,
    latency: one.latency.map((calls, n) => calls + (other.latency[n] ?? 0)),
  };
}

function runOf(span: Span, { agent_id, run_id }: { agent_id: string; run_id: string }): store.RunRow {
  const { revision_id, caller_id, trace_id, name, started_us, ended_us, error } = span;
  return {
    id: run_id,
    agent_id,
    revision_id,
    caller_id,
    trace_id,
    name: name.split(' ')[0] ?? name,
    started_at: new Date(started_us / 1000).toISOString(),
    duration_ms: (ended_us - started_us) / 1000,
    error,
  };
}
