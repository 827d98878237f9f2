// Claims runs and executes them. NOTIFY wakes it. The poll finds runs after a lost notification or a dead executor.
import { Problem } from '@gantry/contract/problems.ts';
import { errorCode, unique_violation, type Database } from '../database/database.ts';
import { holdLeases, renewMs, type Held } from '../queue/held-lease.ts';
import { startLoop } from '../queue/loop.ts';
import { execute } from './execute.ts';
import { Fenced, type NewRun, type RunKind, type RunKinds } from './run.ts';
import { sayWaiting } from './share-store.ts';
import * as store from './store.ts';

export interface WorkerSettings {
  /** The name of this executor in the journal, unique for each process. */
  owner: string;
  onError: (error: unknown, run_id?: string) => void;
  /** After a run that this executor has ended. */
  onEnd?: (run_id: string) => Promise<void>;
  /** The time after which an executor without a renewal loses its run. The next one begins its first step within 2 s more. */
  lease_ms?: number;
  poll_ms?: number;
  max_log_bytes?: number;
  /** No other process executes runs of this database. A held run or key belonged to a killed process and is free at once. */
  alone?: boolean;
}

export interface Worker {
  /** Starts a new run in this process at once, without a queue. Or returns the share of its kind that has no place. */
  begin(run: NewRun): Promise<{ id: string; ended: Promise<void> } | { full: Share }>;
  /** Stops and releases its runs. Another executor, or the next start, continues them. */
  stop(): Promise<void>;
}

type Share = keyof RunKind['shares'];

interface Executing {
  claim: store.ClaimedRun;
  cancel: AbortController;
  lost: AbortController;
  ended: Promise<void>;
}

export async function startWorker(db: Database, kinds: RunKinds, settings: WorkerSettings): Promise<Worker> {
  const { owner, onError, lease_ms = 6000, poll_ms = 1000 } = settings;
  const { max_log_bytes = 4_000_000, alone = false, onEnd = async () => {} } = settings;
  const executing = new Set<Executing>();
  const places = { owner, kinds };
  // A connection of its own: a full pool delays no renewal.
  const lease_db = db.openPool({ max: 1, answer_ms: renewMs(lease_ms) });
  const leases = holdLeases<store.Claim>({
    lease_ms,
    renew: async (claims) => await store.renew(lease_db, owner, claims, lease_ms),
    reason: ({ id }) => new Fenced(id),
    onError,
  });

  if (alone) await store.releaseAll(db, owner, Object.keys(kinds));
  const claiming = startLoop(
    async () => {
      await passOnCancels();
      if (await claimOne()) return true;
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
    const asked_at = performance.now();
    const run = await claimNext();
    if (typeof run === 'string') return run === 'again';
    // The process that holds the key checks too (held-key-store.ts). So at least one of the two gives way.
    if (await store.isHeldElsewhere(db, owner, run)) {
      await store.release(db, run);
      return true;
    }
    const kind = kinds[run.kind];
    if (kind === undefined) throw new Error(`the claim returned run ${run.id} of the unknown kind ${run.kind}`);
    const held = leases.hold(run, asked_at);
    // After a suspension, this process may claim a run that it still executes under an older fence.
    const earlier = [...executing].filter(({ claim }) => claim.id === run.id);
    for (const { lost } of earlier) lost.abort(new Fenced(run.id));
    await Promise.all(earlier.map(({ ended }) => ended));
    void begin(run, kind, held);
    return true;
  }

  async function claimNext(): Promise<store.ClaimedRun | 'none' | 'again'> {
    try {
      return (await store.claim(db, places, lease_ms)) ?? 'none';
    } catch (error) {
      if (errorCode(error) === unique_violation) return 'again';
      throw error;
    }
  }

  function begin(run: store.ClaimedRun, kind: RunKind, { lost, release }: Held): Promise<void> {
    const cancel = new AbortController();
    if (run.cancel_requested) cancel.abort(new Problem('cancelled'));
    const report = (error: unknown) => onError(error, run.id);
    const ended = execute({ db, run, kind, cancel, lost, max_log_bytes, onError: report })
      .then(async () => await onEnd(run.id).catch(report))
      .catch((error: unknown) => letGo(run, lost, error))
      .finally(() => {
        release();
        executing.delete(one);
        claiming.wake();
      });
    const one: Executing = { claim: run, cancel, lost, ended };
    executing.add(one);
    return ended;
  }

  // The run stays unchanged, and continues later. Only a stop releases it at once. After an unexpected error, the lease delays the retry.
  async function letGo(run: store.ClaimedRun, lost: AbortController, error: unknown): Promise<void> {
    if (!(error instanceof Stopping)) onError(error, run.id);
    lost.abort(error);
    if (error instanceof Stopping) await store.release(db, run).catch((failed: unknown) => onError(failed, run.id));
  }

  // Those that are just being stored.
  const beginning = new Set<NewRun>();

  function fullShare(run: NewRun, { max, team, user }: RunKind['shares']): Share | undefined {
    const begun = [...executing].map(({ claim }) => claim);
    const others = [...begun, ...beginning].filter(({ kind }) => kind === run.kind);
    if (others.length >= max) return 'max';
    if (others.filter(({ actor }) => actor.user_id === run.actor.user_id).length >= user) return 'user';
    const isOfTeam = others.filter(({ team_id }) => (team_id ?? null) === run.team_id);
    return isOfTeam.length >= team ? 'team' : undefined;
  }

  return {
    begin: async (made) => {
      const kind = kinds[made.kind];
      if (kind === undefined) throw new Error(`this process does not execute ${made.kind}`);
      const full = fullShare(made, kind.shares);
      if (full !== undefined) return { full };
      beginning.add(made);
      try {
        const asked_at = performance.now();
        const run = await store.insertHeld(db, made, { owner, lease_ms });
        return { id: run.id, ended: begin(run, kind, leases.hold(run, asked_at)) };
      } finally {
        beginning.delete(made);
      }
    },
    stop: async () => {
      await claiming.stop();
      const last = [...executing];
      for (const { lost } of last) lost.abort(new Stopping());
      await Promise.all(last.map(({ ended }) => ended));
      await leases.stop();
      await lease_db.close();
      await listening.close();
    },
  };
}

class Stopping extends Error {}
