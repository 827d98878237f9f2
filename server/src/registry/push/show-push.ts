import { Problem } from '@gantry/contract/problems.ts';
import type { StreamEvent } from '@gantry/contract/endpoint.ts';
import type { RunEvent } from '@gantry/contract/runs.ts';
import { authorize } from '../../access/authorize.ts';
import type { Caller, SignedInCaller } from '../../access/caller.ts';
import type { Database } from '../../database/database.ts';
import { signedIn } from '../../principals/signed-in.ts';
import { runEvents } from '../../runs/events.ts';
import { findRun, type RunRow } from '../../runs/run.ts';
import { findAssetById } from '../find.ts';
import type { PushInput, PushResult } from './push-input.ts';
import { pushRecord, type PushRecord } from '../assets/records.ts';

export async function showPush(db: Database, caller: Caller, id: string): Promise<PushRecord> {
  return pushRecord(await readable(db, signedIn(caller), id));
}

/** What the push did and does, from after that event on. */
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

// Whoever may read the agent may see how a push of it went. As long as there is no agent, only the pusher may.
async function readable(db: Database, caller: SignedInCaller, id: string): Promise<RunRow<PushInput, PushResult>> {
  const run = await findRun<PushInput, PushResult>(db, id);
  if (run?.kind !== 'push') throw new Problem('not_found');
  const asset_id = run.input.asset_id ?? run.result?.asset_id;
  const asset = asset_id === undefined ? undefined : await findAssetById(db, asset_id);
  if (asset !== undefined) authorize(caller, 'asset.read', asset);
  else if (run.actor.user_id !== caller.id && caller.role !== 'admin') throw new Problem('not_found');
  return run;
}
