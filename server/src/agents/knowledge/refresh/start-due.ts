// Refreshes by the schedule of `refresh_hours`. Promises: one refresh at a due time, from any number of services and through a kill; one after a stop of any length,
// not one for each time that was missed. The refresh has the rights of the owner of the asset, which the run decides when it begins.
import { isAway, type Database, type Reader } from '../../../ground/database/database.ts';
import { startLoop, type Loop } from '../../../ground/queue/loop.ts';
import * as store from '../refresh-store.ts';
import { startAsOwner } from './start-as-owner.ts';

const look_every_ms = 30_000;

interface Starting {
  onError: (error: unknown) => void;
}

/** One that cannot be started delays no other one. */
export async function startDue(db: Database, { onError }: Starting): Promise<void> {
  for (const { id } of await store.due(db))
    await startOne(db, id).catch((error: unknown) => {
      if (isAway(error)) throw error;
      onError(new Error(`the refresh of ${id} that is due cannot be started`, { cause: error }));
    });
}

async function startOne(db: Database, id: string): Promise<void> {
  const isNeeded = async (reader: Reader) => (await store.due(reader, id)).length > 0;
  await startAsOwner(db, id, { started: 'schedule', isNeeded });
}

export function startSchedule(db: Database, { onError }: Starting): Pick<Loop, 'stop'> {
  const every = { pause_ms: look_every_ms, failed_pause_ms: look_every_ms };
  return startLoop(async () => await startDue(db, { onError }), { ...every, onError });
}
