// The runs of an orchestration. Its admins see the steps of all runs. Only the caller of a run sees its output.
import type { Page } from '@gantry/contract/endpoint.ts';
import { formatUsd } from '@gantry/contract/formats/money.ts';
import type { ListedOrchestrationRun, OrchestrationRun } from '@gantry/contract/agents/orchestrations.ts';
import { Problem } from '@gantry/contract/problems.ts';
import type { RunState } from '@gantry/contract/agents/run-states.ts';
import { printVersionRef } from '@gantry/contract/refs.ts';
import { authorize } from '../../../governance/access/authorize.ts';
import type { Caller, SignedInCaller } from '../../../governance/access/caller.ts';
import { decide } from '../../../governance/access/decide.ts';
import type { Database } from '../../../ground/database/database.ts';
import type { Cursors } from '../../../governance/http/cursor.ts';

import { runIdOf } from '../../invoke/calls/call-key.ts';
import { spentByRun } from '../../../models/ledger/spending.ts';
import { signedIn } from '../../../people/principals/signed-in.ts';
import type { AssetRecord } from '../../../assets/registry/find.ts';
import { loadAsset } from '../../../assets/registry/load-asset.ts';
import { findRun, requestCancel, type RunRow } from '../../../ground/runs/run.ts';
import { kind, type OrchestrationInput, type OrchestrationResult } from './orchestration-run.ts';
import { stepsOf } from './run-steps.ts';
import * as store from '../store.ts';

export interface RunOf {
  caller: Caller;
  name: string;
  run_id: string;
}

type Row = RunRow<OrchestrationInput, OrchestrationResult>;

export async function readRun(db: Database, asked: RunOf): Promise<OrchestrationRun> {
  const { row, user } = await findOwnOrAdministered(db, asked);
  const isOwn = row.actor.user_id === user.id;
  const [cost, steps] = await Promise.all([spentByRun(db, row.id), stepsOf(db, row)]);
  return {
    ...listed(row),
    steps: steps.map((step) => ({
      ...step,
      answer: isOwn ? step.answer : null,
      problem: isOwn ? step.problem : codeOnly(step.problem),
    })),
    notices: [
      ...row.notices,
      ...steps
        .filter(({ state, path }) => state === 'waiting' && !steps.some((other) => other.path.startsWith(`${path}/`)))
        .map(({ member }) => `${member} waits for a person. The inbox has its question.`),
    ],
    cost_usd: formatUsd(cost),
    output: isOwn ? (row.result?.output ?? null) : null,
    problem: isOwn ? row.problem : codeOnly(row.problem),
  };
}

/** A detail may have words of the caller's input, or of a member. */
function codeOnly(problem: Record<string, unknown> | null): Record<string, unknown> | null {
  return problem === null ? null : { code: problem['code'], title: problem['title'], status: problem['status'] };
}

interface Asked {
  caller: Caller;
  name: string;
  state?: RunState | undefined;
  version?: string | undefined;
  limit: number;
  cursor?: string | undefined;
}

export async function listRuns(
  db: Database,
  cursors: Cursors,
  { caller, name, state, version, limit, cursor }: Asked,
): Promise<Page<ListedOrchestrationRun>> {
  const user = signedIn(caller);
  const asset = await findCallable(db, user, name);
  const scope = ['orchestrate.runs', asset.id, user.id, state ?? null, version ?? null];
  const [after] = cursors.read(cursor, scope) ?? [];
  const caller_id = isAdmin(user, asset) ? undefined : user.id;
  const rows = await store.runsOf(db, {
    orchestration_id: asset.id,
    caller_id,
    state,
    version,
    after: after === undefined ? undefined : String(after),
    limit: limit + 1,
  });
  return cursors.page(
    rows,
    limit,
    scope,
    ({ id }) => [id],
    (row) => ({ ...listed(row), problem_code: row.problem_code }),
  );
}

/** Ends the calls of its members too. Only its caller, or an admin of the orchestration. */
export async function cancelRun(db: Database, asked: RunOf): Promise<{ run_id: string }> {
  const { row } = await findOwnOrAdministered(db, asked);
  const isAsked = await db.transaction(async (tx) => await requestCancel(tx, row.id));
  if (!isAsked) throw new Problem('not_cancellable', { detail: 'The run has already ended.' });
  return { run_id: row.id };
}

type Listed = Omit<ListedOrchestrationRun, 'problem_code'>;

function listed(
  row: Pick<Row, 'id' | 'input' | 'state' | 'actor' | 'created_at' | 'ended_at'> & {
    result: { status: 'done' | 'partial' } | null;
  },
): Listed {
  const { name, version, digest, trace } = row.input;
  return {
    run_id: row.id,
    ref: printVersionRef({ kind: 'orchestration', name, version }),
    digest,
    state: row.state,
    status: row.result?.status ?? null,
    caller: row.actor.name,
    created_at: row.created_at,
    ended_at: row.ended_at,
    trace_id: trace.trace_id,
  };
}

async function findCallable(db: Database, user: SignedInCaller, name: string): Promise<AssetRecord> {
  const asset = await loadAsset(db, { kind: 'orchestration', name }, user);
  authorize(user, 'asset.invoke', asset);
  return asset;
}

const isAdmin = (user: SignedInCaller, asset: AssetRecord) => decide(user, 'asset.delete', asset).allowed;

/** Throws `run_gone` for the run of another caller. */
async function findOwnOrAdministered(
  db: Database,
  { caller, name, run_id }: RunOf,
): Promise<{ row: Row; user: SignedInCaller }> {
  const user = signedIn(caller);
  const asset = await findCallable(db, user, name);
  const find = async (id: string) => await findRun<OrchestrationInput, OrchestrationResult>(db, id);
  // A key of the caller names its run too.
  const row = (await find(run_id)) ?? (await find(runIdOf({ caller_id: user.id, asset_id: asset.id, key: run_id })));
  const isOf = row?.kind === kind && row.input.orchestration_id === asset.id;
  if (row === undefined || !isOf || (row.actor.user_id !== user.id && !isAdmin(user, asset)))
    throw new Problem('run_gone');
  return { row, user };
}
