// The trace of a deploy has the deploy's own id, so it is found without a search.
import { createHash } from 'node:crypto';
import type { Reader } from '../../../ground/database/database.ts';
import { findAssetById } from '../../../assets/registry/find.ts';
import { findRun } from '../../../ground/runs/run.ts';
import { no_model, type Span } from '../../../models/traces/span.ts';
import type { Spans } from '../../../models/traces/spans.ts';
import type { DeployInput, DeployResult } from '../deploy-run.ts';

/** Adds the spans of an ended deploy and of its steps. Nothing for another run. */
export async function recordDeploy(db: Reader, spans: Pick<Spans, 'add'>, run_id: string): Promise<void> {
  const run = await findRun<DeployInput, DeployResult>(db, run_id);
  if (run?.kind !== 'deploy' || run.ended_at === null) return;
  const { agent_id, agent, version, target } = run.input;
  const asset = await findAssetById(db, agent_id, null);
  const trace_id = run_id.replaceAll('-', '');
  const parent_id = idOf(run_id, 0);
  const common = {
    trace_id,
    source: 'deploy',
    agent_id,
    revision_id: run.result?.revision_id ?? null,
    run_id,
    team_id: asset?.team.id ?? null,
    caller_id: run.actor.user_id,
    ...no_model,
    input: null,
    output: null,
    attributes: { target },
  } as const;
  const steps = run.steps.flatMap(({ n, name, started_at, ended_at, state, problem }): Span[] =>
    started_at === null || ended_at === null
      ? []
      : [
          {
            ...common,
            ...timesOf(started_at, ended_at),
            ...statusOf(state === 'failed', problem),
            span_id: idOf(run_id, n),
            parent_id,
            name,
            kind: 'step',
          },
        ],
  );
  spans.add([
    {
      ...common,
      ...timesOf(run.created_at, run.ended_at),
      ...statusOf(run.state !== 'done', run.problem),
      span_id: parent_id,
      parent_id: null,
      name: `deploy ${agent}@${version}`,
      kind: 'chain',
    },
    ...steps,
  ]);
}

/** The same for the same step, so that a repeated record adds nothing. */
function idOf(run_id: string, n: number): string {
  return createHash('sha256').update(`${run_id}:${n}`).digest('hex').slice(0, 16);
}

function timesOf(started_at: string, ended_at: string): Pick<Span, 'started_us' | 'ended_us'> {
  return { started_us: Date.parse(started_at) * 1000, ended_us: Date.parse(ended_at) * 1000 };
}

function statusOf(hasFailed: boolean, problem: Record<string, unknown> | null): Pick<Span, 'status' | 'error'> {
  const code = problem?.['code'];
  return hasFailed
    ? { status: 'error', error: typeof code === 'string' ? code : 'failed' }
    : { status: 'ok', error: null };
}
