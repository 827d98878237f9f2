import { max_shown_answer } from '@gantry/contract/agents/orchestrations.ts';
import { readProblem, type Problem } from '@gantry/contract/problems.ts';
import type { RunState } from '@gantry/contract/agents/run-states.ts';
import type { Reader } from '../../ground/database/database.ts';
import { sql } from '../../ground/database/sql.ts';
import type { RunRow } from '../../ground/runs/run.ts';
import { chosenAt } from './runs/choice.ts';
import { kind, type MemberAnswer, type OrchestrationInput } from './runs/orchestration-run.ts';

type Facts = Pick<MemberAnswer, 'agent' | 'run_id' | 'version' | 'digest'> & { earlier_run_ids: string[] | null };

/** The answers of the steps that have one. */
export const answersOf = async (db: Reader, run_id: string) =>
  await db.all<Facts & { path: string; answer: string | null }>(sql`
    select name as path, output ->> 'agent' as agent, output ->> 'run_id' as run_id, output -> 'earlier_run_ids' as earlier_run_ids, output ->> 'version' as version,
      output ->> 'digest' as digest, left(output ->> 'text', ${max_shown_answer}) as answer
    from run_step where run_id = ${run_id} and output ? 'agent'`);

/** The versions of the members that are orchestrations, by the path of the member. */
export async function chosenVersions(db: Reader, run_id: string): Promise<Map<string, string>> {
  const rows = await db.all<{ path: string; version_id: string }>(sql`
    select name as path, output ->> 'version_id' as version_id from run_step where run_id = ${run_id} and output ? 'version_id'`);
  return new Map(rows.flatMap(({ path, version_id }) => [[chosenAt(path) ?? path, version_id] as const]));
}

/** The paths of the steps that have failed, with their problems. */
export async function failuresOf(db: Reader, run_id: string): Promise<Map<string, Problem>> {
  const rows = await db.all<{ path: string; problem: unknown }>(
    sql`select name as path, problem from run_step where run_id = ${run_id} and state = 'failed'`,
  );
  return new Map(
    rows.flatMap(({ path, problem: stored }) => {
      const problem = readProblem(stored);
      return problem === undefined ? [] : [[path, problem] as const];
    }),
  );
}

export interface ListedRow extends Pick<
  RunRow<OrchestrationInput>,
  'id' | 'state' | 'input' | 'actor' | 'created_at' | 'ended_at'
> {
  result: { status: 'done' | 'partial' } | null;
  problem_code: string | null;
}

/** The newest first, without their contents. `after` is the id of a run. */
export async function runsOf(
  db: Reader,
  {
    orchestration_id,
    caller_id,
    state,
    version,
    after,
    limit,
  }: {
    orchestration_id: string;
    caller_id: string | undefined;
    state: RunState | undefined;
    version: string | undefined;
    after: string | undefined;
    limit: number;
  },
): Promise<ListedRow[]> {
  return await db.all<ListedRow>(sql`
    select id, state, input - 'input' as input, jsonb_build_object('user_id', actor_id, 'name', actor_name) as actor, created_at, ended_at,
      case when result is null then null else jsonb_build_object('status', result -> 'status') end as result, problem ->> 'code' as problem_code
    from run
    where kind = ${kind} and input ->> 'orchestration_id' = ${orchestration_id}
      and (${caller_id ?? null}::uuid is null or actor_id = ${caller_id ?? null})
      and (${state ?? null}::text is null or state = ${state ?? null})
      and (${version ?? null}::text is null or input ->> 'version' = ${version ?? null})
      and (${after ?? null}::uuid is null or (created_at, id) < (select created_at, id from run where id = ${after ?? null}::uuid))
    order by created_at desc, id desc limit ${limit}`);
}

/** The answer of a call. */
export async function outputOf(db: Reader, run_id: string, path: string | null): Promise<unknown> {
  const row = await db.one<{ output: unknown }>(
    sql`select output from run_step where run_id = ${run_id} and name = ${path}`,
  );
  return row?.output ?? null;
}
