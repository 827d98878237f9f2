import { Problem } from '@gantry/contract/problems.ts';
import type { StreamEvent } from '@gantry/contract/endpoint.ts';
import { printVersionRef } from '@gantry/contract/refs.ts';
import type { push } from '@gantry/contract/assets/registry.ts';
import { hasEnded } from '@gantry/contract/agents/run-states.ts';
import type { RunEvent } from '@gantry/contract/agents/runs.ts';
import type { z } from 'zod';
import { authorize } from '../../../governance/access/authorize.ts';
import type { Caller, SignedInCaller } from '../../../governance/access/caller.ts';
import type { Database } from '../../../ground/database/database.ts';
import { signedIn } from '../../../people/principals/signed-in.ts';
import { runEvents } from '../../../ground/runs/events.ts';
import { findRun, type RunRow } from '../../../ground/runs/run.ts';
import { findAssetById } from '../find.ts';
import type { PushInput, PushResult } from './push-input.ts';

type PushRecord = z.output<typeof push>;

export async function showPush(db: Database, caller: Caller, id: string): Promise<PushRecord> {
  return pushRecord(await readable(db, signedIn(caller), id));
}

/** The past and future events of the push, after that one. */
export async function pushEvents(
  db: Database,
  caller: Caller,
  id: string,
  after: number,
  signal: AbortSignal,
): Promise<AsyncIterable<StreamEvent<RunEvent>>> {
  await requireReadablePush(db, caller, id);
  return runEvents(db, id, after, signal);
}

export async function requireReadablePush(db: Database, caller: Caller, id: string): Promise<void> {
  await readable(db, signedIn(caller), id);
}

// A reader of the agent may read its pushes. Before the agent exists, only the pusher may.
async function readable(db: Database, caller: SignedInCaller, id: string): Promise<RunRow<PushInput, PushResult>> {
  const run = await findRun<PushInput, PushResult>(db, id);
  if (run?.kind !== 'push') throw new Problem('not_found');
  const asset_id = run.input.asset_id ?? run.result?.asset_id;
  const asset = asset_id === undefined ? undefined : await findAssetById(db, asset_id, caller);
  if (asset !== undefined) authorize(caller, 'asset.read', asset);
  else if (run.actor.user_id !== caller.id && caller.role !== 'admin') throw new Problem('not_found');
  return run;
}

function pushRecord(run: RunRow<PushInput, PushResult>): PushRecord {
  const { name, version } = run.input.config;
  // A push does not show the steps after a stop. A push with remains of its run has failed.
  const state =
    run.state === 'cancelling' || run.state === 'waiting'
      ? 'running'
      : run.state === 'needs_attention'
        ? 'failed'
        : run.state;
  return {
    id: run.id,
    ref: printVersionRef({ kind: 'agent', name, version }),
    state,
    digest: run.result?.digest ?? null,
    unchanged: run.result?.unchanged ?? false,
    problem: run.problem,
    notices: hasEnded(run.state) ? run.notices : [...run.input.notices, ...(run.state === 'queued' ? run.notices : [])],
    created_at: run.created_at,
  };
}
