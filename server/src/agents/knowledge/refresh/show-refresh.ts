import type { KnowledgeRefresh } from '@gantry/contract/agents/knowledge.ts';
import type { StreamEvent } from '@gantry/contract/endpoint.ts';
import type { RunEvent } from '@gantry/contract/agents/runs.ts';
import { Problem } from '@gantry/contract/problems.ts';
import type { Operation } from '@gantry/contract/roles.ts';
import { authorize } from '../../../governance/access/authorize.ts';
import type { Caller } from '../../../governance/access/caller.ts';
import type { Database, Reader } from '../../../ground/database/database.ts';
import { runEvents } from '../../../ground/runs/events.ts';
import { findRun, requestCancel, type RunRow } from '../../../ground/runs/run.ts';
import { signedIn } from '../../../people/principals/signed-in.ts';
import { findAssetById } from '../../../assets/registry/find.ts';
import type { RefreshInput, RefreshResult } from './refresh-input.ts';

type Row = RunRow<RefreshInput, RefreshResult>;

export async function showRefresh(db: Reader, caller: Caller, id: string): Promise<KnowledgeRefresh> {
  return print(await load(db, caller, id, 'asset.read'));
}

/** The past and future events, after that one. */
export async function refreshEvents(
  db: Database,
  caller: Caller,
  { id, after, signal }: { id: string; after: number; signal: AbortSignal },
): Promise<AsyncIterable<StreamEvent<RunEvent>>> {
  await requireReadableRefresh(db, caller, id);
  return runEvents(db, id, after, signal);
}

export async function requireReadableRefresh(db: Reader, caller: Caller, id: string): Promise<void> {
  await load(db, caller, id, 'asset.read');
}

/** Throws `not_cancellable`. */
export async function cancelRefresh(db: Database, caller: Caller, id: string): Promise<KnowledgeRefresh> {
  await load(db, caller, id, 'asset.write');
  if (!(await db.transaction(async (tx) => await requestCancel(tx, id)))) throw new Problem('not_cancellable');
  return await showRefresh(db, caller, id);
}

async function load(db: Reader, caller: Caller, id: string, operation: Operation): Promise<Row> {
  const user = signedIn(caller);
  const run = await findRun<RefreshInput, RefreshResult>(db, id);
  const asset = run?.kind === 'refresh' ? await findAssetById(db, run.input.asset_id, user) : undefined;
  if (run === undefined || asset === undefined) throw new Problem('not_found');
  authorize(user, operation, asset);
  return run;
}

const shown = { waiting: 'running', cancelling: 'running', needs_attention: 'failed' } as const;

function print({ id, input, actor, state, result, problem, notices, created_at }: Row): KnowledgeRefresh {
  return {
    id,
    ref: input.ref,
    state: state === 'waiting' || state === 'cancelling' || state === 'needs_attention' ? shown[state] : state,
    snapshot: result?.snapshot ?? null,
    serves: result?.serves ?? false,
    problem,
    notices,
    started: input.started ?? 'person',
    by: actor.name,
    created_at,
  };
}
