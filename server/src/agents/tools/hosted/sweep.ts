// Removes the containers of hosted servers that nobody has: their process was killed, or it could not remove them itself.
import type { Database } from '../../../ground/database/database.ts';
import { startLoop, type Loop } from '../../../ground/queue/loop.ts';
import type { Runner } from './plugs.ts';
import * as store from './side-container-store.ts';

interface Sweeping {
  db: Database;
  runner: Runner;
  owner: string;
  /** No other process of the installation has such containers. */
  alone: boolean;
  onError: (error: unknown) => void;
}

const pause_ms = 15_000;

export function startSideSweep({ db, runner, owner, alone, onError }: Sweeping): Pick<Loop, 'stop'> {
  const stopping = new AbortController();
  let isFirst = true;
  const work = async () => {
    if (alone && isFirst) await store.endLeasesOfOthers(db, owner);
    isFirst = false;
    await sweepSides(db, runner, stopping.signal);
  };
  const loop = startLoop(work, {
    pause_ms,
    failed_pause_ms: pause_ms,
    onError: (error) => (stopping.signal.aborted ? undefined : onError(error)),
  });
  return {
    stop: async () => {
      stopping.abort();
      await loop.stop();
    },
  };
}

/** The containers are listed before the rows are read, so each of them had its row. */
export async function sweepSides(db: Database, runner: Runner, signal: AbortSignal): Promise<void> {
  const found = await runner.list(signal);
  for (const id of await store.abandoned(db)) {
    await runner.remove(id);
    await store.remove(db, id);
  }
  const known = await store.known(db, found);
  for (const id of found) if (!known.has(id)) await runner.remove(id);
}
