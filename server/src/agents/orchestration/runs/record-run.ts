// The span of a run. The spans of its members' calls are below it.
import { createHash } from 'node:crypto';
import type { Reader } from '../../../ground/database/database.ts';
import { findRun } from '../../../ground/runs/run.ts';
import { no_model } from '../../../models/traces/span.ts';
import type { Spans } from '../../../models/traces/spans.ts';
import { kind, type OrchestrationInput } from './orchestration-run.ts';

/** The same after a crash, so that a repeated record adds nothing. */
export function spanIdOf(run_id: string): string {
  return createHash('sha256').update(run_id).digest('hex').slice(0, 16);
}

/** Adds the span of an ended run. */
export async function recordRun(db: Reader, spans: Pick<Spans, 'add'>, run_id: string): Promise<void> {
  const run = await findRun<OrchestrationInput>(db, run_id);
  if (run?.kind !== kind || run.ended_at === null) return;
  const { orchestration_id, name, team_id, trace, version } = run.input;
  const code = run.problem?.['code'];
  spans.add([
    {
      trace_id: trace.trace_id,
      span_id: spanIdOf(run_id),
      parent_id: trace.parent_id,
      name: `orchestrate ${name}`,
      kind: 'chain',
      source: 'ingress',
      agent_id: orchestration_id,
      revision_id: null,
      run_id,
      team_id,
      caller_id: run.actor.user_id,
      started_us: Date.parse(run.created_at) * 1000,
      ended_us: Date.parse(run.ended_at) * 1000,
      ...(run.state === 'done'
        ? { status: 'ok', error: null }
        : { status: 'error', error: typeof code === 'string' ? code : 'failed' }),
      ...no_model,
      // The run keeps its contents for its caller, and forgets them.
      input: null,
      output: null,
      attributes: { version },
    },
  ]);
}
