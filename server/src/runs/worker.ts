// Claims runs and executes them. NOTIFY wakes it. The poll finds runs after a lost notification or a dead executor.
import { Problem } from '@gantry/contract/problems.ts';
import type { Database } from '../database/database.ts';
import { startLoop } from '../queue/loop.ts';
import { execute } from './execute.ts';
import { Fenced, type RunKind, type RunKinds } from './run.ts';
import { sayWaiting } from './share-store.ts';
import * as store from './store.ts';

export interface WorkerSettings {
  /** The name of this executor in the journal, unique for each process. */
  owner: string;
  onError: (error: unknown, run_id?: string) => void;
  /** After a run that this executor has ended. */
  onEnd?: (run_id: string) => Promise<void>;
  /** The time after which an executor without a renewal loses its run. */
  lease_ms?: number;
  heartbeat_ms?: number;
  poll_ms?: number;
  /** The number of runs at a time. */
  concurrency?: number;
  max_log_bytes?: number;
  /** No other process executes runs of this database. A held run belonged to a killed process and continues at once. */
  alone?: boolean;
}

export interface Worker {
  /** Stops and releases its runs. Another executor, or the next start, continues them. */
  stop(): Promise<void>;
}

interface Executing {
  claim: store.Claim;
  cancel: AbortController;
  lost: AbortController;
  /** By the monotonic clock, which also counts while the process is suspended. */
  renewed_at: number;
  ended: Promise<void>;
}

export async function startWorker(db: Database, kinds: RunKinds, settings: WorkerSettings): Promise<Worker> {
  const { owner, onError, lease_ms = 15_000, heartbeat_ms = 4000, poll_ms = 1000, concurrency = 6 } = settings;
  const { max_log_bytes = 4_000_000, alone = false, onEnd = async () => {} } = settings;
  const executing = new Set<Executing>();
  const places = { owner, kinds, concurrency };

  if (alone) await store.releaseAll(db);
  const heartbeat = setInterval(() => void renew().catch(onError), heartbeat_ms);
  const claiming = startLoop(
    async () => {
      await passOnCancels();
      if (executing.size < concurrency && (await claimOne())) return true;
      for (const id of await sayWaiting(db, places)) await store.notify(db, store.event_channel, id);
      return false;
    },
    { pause_ms: poll_ms, failed_pause_ms: poll_ms, onError },
  );
  const listening = await db.listen(store.work_channel, claiming.wake);

  async function passOnCancels(): Promise<void> {
    if (executing.size === 0) return;
    const all = [...executing];
    const ids = await store.withCancelRequested(
      db,
      all.map(({ claim }) => claim.id),
    );
    for (const { claim, cancel } of all) if (ids.includes(claim.id)) cancel.abort(new Problem('cancelled'));
  }

  async function claimOne(): Promise<boolean> {
    const run = await store.claim(db, places, lease_ms);
    if (run === undefined) return false;
    const kind = kinds[run.kind];
    if (kind === undefined) throw new Error(`the claim returned run ${run.id} of the unknown kind ${run.kind}`);
    // After a suspension, this process may claim a run that it still executes under an older fence.
    const earlier = [...executing].filter(({ claim }) => claim.id === run.id);
    for (const { lost } of earlier) lost.abort(new Fenced(run.id));
    await Promise.all(earlier.map(({ ended }) => ended));
    begin(run, kind);
    return true;
  }

  function begin(run: store.ClaimedRun, kind: RunKind): void {
    const [cancel, lost] = [new AbortController(), new AbortController()];
    if (run.cancel_requested) cancel.abort(new Problem('cancelled'));
    const report = (error: unknown) => onError(error, run.id);
    const ended = execute({ db, run, kind, cancel, lost, max_log_bytes, onError: report })
      .then(async () => await onEnd(run.id).catch(report))
      .catch((error: unknown) => letGo(run, lost, error))
      .finally(() => {
        executing.delete(one);
        claiming.wake();
      });
    const one: Executing = { claim: run, cancel, lost, renewed_at: performance.now(), ended };
    executing.add(one);
  }

  // The run stays unchanged, and continues later. Only a stop releases it at once. After an unexpected error, the lease delays the retry.
  async function letGo(run: store.ClaimedRun, lost: AbortController, error: unknown): Promise<void> {
    if (!(error instanceof Stopping)) onError(error, run.id);
    lost.abort(error);
    if (error instanceof Stopping) await store.release(db, run).catch((failed: unknown) => onError(failed, run.id));
  }

  async function renew(): Promise<void> {
    const all = [...executing];
    if (all.length === 0) return;
    const asked_at = performance.now();
    const ours = await store
      .renew(
        db,
        owner,
        all.map(({ claim }) => claim),
        lease_ms,
      )
      .catch((error: unknown) => {
        onError(error);
        return undefined;
      });
    for (const one of all) {
      if (ours?.includes(one.claim.id) === true) one.renewed_at = asked_at;
      else if (ours !== undefined || performance.now() - one.renewed_at > lease_ms)
        one.lost.abort(new Fenced(one.claim.id));
    }
  }

  return {
    stop: async () => {
      await claiming.stop();
      const last = [...executing];
      for (const { lost } of last) lost.abort(new Stopping());
      await Promise.all(last.map(({ ended }) => ended));
      clearInterval(heartbeat);
      await listening.close();
    },
  };
}

class Stopping extends Error {}
