// Work that survives a crash. Promise: without a cancel or a failed step, a run reaches its end, even when processes are killed. Each
// finished step is done once, and one executor acts at a time. A failed step or a cancel undoes the run's steps, newest first. Must never
// happen: a write by an executor without a lease (every write names its fence), or an unreported leftover.
import type { RunState } from '@gantry/contract/agents/run-states.ts';
import type { runStep } from '@gantry/contract/agents/runs.ts';
import type { ProblemDocument } from '@gantry/contract/problems.ts';
import type { Reader, Tx } from '../database/database.ts';
import type { z } from 'zod';
import * as store from './store.ts';

export interface RunActor {
  user_id: string;
  name: string;
}

export interface NewRun {
  /** A UUID; of its own without one. */
  id?: string;
  kind: string;
  /** One run of any kind holds it at a time. */
  mutex: string;
  /** JSON. */
  input: object;
  actor: RunActor;
  /** The run takes a place of this team's share. */
  team_id?: string;
  /** Stored while other runs have the mutex, and begun after the end of all earlier ones. */
  behind?: boolean;
}

export interface ActiveRun {
  id: string;
  kind: string;
}

/** The run, apart from its steps. */
export interface RunIdentity<Input = unknown> {
  readonly id: string;
  readonly input: Input;
  readonly actor: RunActor;
  /** For how long it has waited for people. */
  readonly waited_ms: number;
  /** Grows with every claim. Of two executors, the one with the smaller fence has lost the run. */
  readonly fence: number;
  /** First call in a transaction that must happen only once. Locks the run's row. Throws `Fenced` when this executor lost the run. */
  fenced(tx: Tx): Promise<void>;
  /** As `fenced`. After the commit, the run can be neither cancelled nor undone. Throws when a cancel came first. */
  settle(tx: Tx): Promise<void>;
}

/** The run, for its work. The work of a step gets it as the run of that step, with a signal, a log and inner steps of its own. */
export interface Run<Input = unknown> extends RunIdentity<Input> {
  /** Aborted on cancel, on a lost lease, when the service stops, and when the work around it has failed. */
  readonly signal: AbortSignal;
  /**
   * Does `work` once and stores its output (JSON). After a crash, a finished step is not repeated, but an unfinished one is.
   * So `work` first looks for the results of an earlier attempt. `undo` gets the output, or undefined when the step did not finish.
   * Steps may run in parallel. A step may have inner steps. Then its own code only starts them, because a crash may repeat that code.
   */
  step<T>(
    name: string,
    work: (run: Run<Input>) => Promise<T>,
    undo?: (output: T | undefined) => Promise<void>,
  ): Promise<T>;
  log: (line: string) => void;
  notice: (message: string, data?: Record<string, unknown>) => void;
}

/** The end of a run that did not succeed. */
export interface Ending {
  state: 'failed' | 'cancelled' | 'needs_attention';
  problem: ProblemDocument;
}

/** Limits of the runs of a kind in one process: for all, for one team and for one user. Further runs wait, and say so. No limit covers several kinds. */
interface Shares {
  max: number;
  team: number;
  user: number;
}

export interface RunKind<Input = unknown> {
  shares: Shares;
  work(run: Run<Input>): Promise<unknown>;
  /** Called after undo, when the run did not succeed. Writes in the transaction of the run's end, and calls `finish` in it exactly once. */
  end?(run: RunIdentity<Input>, ending: Ending, finish: (tx: Tx) => Promise<void>): Promise<void>;
}

// The kinds in the map have different inputs. enqueue() stored each input in its kind's form.
// oxlint-disable-next-line typescript/no-explicit-any -- the line above
export type RunKinds = Record<string, RunKind<any>>;

export interface RunRow<Input = unknown, Result = unknown> {
  id: string;
  kind: string;
  mutex: string;
  state: RunState;
  input: Input;
  actor: RunActor;
  steps: z.output<typeof runStep>[];
  notices: string[];
  result: Result | null;
  problem: Record<string, unknown> | null;
  created_at: string;
  ended_at: string | null;
}

/** Throws `MutexHeld` while another run has the mutex, unless the new run goes behind it. */
export async function enqueue(tx: Tx, run: NewRun): Promise<{ id: string }> {
  const row = await store.insert(tx, run);
  if (row === undefined) throw new MutexHeld(await store.active(tx, run.mutex));
  // PostgreSQL delivers it at the commit, and never after a rollback.
  await store.notify(tx, store.work_channel, row.id);
  return row;
}

/** The run that holds the mutex now: the begun one, otherwise the first in the queue. */
export async function activeRun(db: Reader, mutex: string): Promise<ActiveRun | undefined> {
  return await store.active(db, mutex);
}

/** True while a run of the kind has not ended. */
export async function isAnyActive(db: Reader, kind: string): Promise<boolean> {
  return await store.anyActive(db, kind);
}

/** True while a run of the kind that this user began has not ended. */
export async function isOpenFor(db: Reader, kind: string, actor_id: string): Promise<boolean> {
  return await store.isOpenFor(db, kind, actor_id);
}

export async function findRun<Input = unknown, Result = unknown>(
  db: Reader,
  id: string,
): Promise<RunRow<Input, Result> | undefined> {
  const [row] = await findRuns<Input, Result>(db, [id]);
  return row;
}

/** In the order of the ids, without missing runs. */
export async function findRuns<Input = unknown, Result = unknown>(
  db: Reader,
  ids: readonly string[],
): Promise<RunRow<Input, Result>[]> {
  const rows = new Map((await store.find(db, ids)).map((row) => [row.id, row]));
  return ids.flatMap((id) => rows.get(id) ?? []) as RunRow<Input, Result>[]; // the caller stored this kind
}

/** False when the run has already ended or settled. After its undo the run ends `cancelled`. */
export async function requestCancel(tx: Tx, id: string): Promise<boolean> {
  const asked = await store.requestCancel(tx, id);
  if (asked) await store.notify(tx, store.work_channel, id);
  return asked;
}

/**
 * The run waits no longer: it is executed again, from its stored steps. Called in the transaction that stores what it waits for. A run that is executed now
 * does not begin to wait.
 */
export async function wake(tx: Tx, id: string): Promise<void> {
  await store.wake(tx, id);
  await store.notify(tx, store.work_channel, id);
}

/**
 * The work goes on when a person has acted. Thrown by the work of a step, and passed on by all work around it once the steps beside it have ended. The run then
 * waits without a place, until `wake`.
 */
export class RunWaits extends Error {}

/** Another run has the mutex. */
export class MutexHeld extends Error {
  /** Absent when that run has just ended. */
  readonly holder: ActiveRun | undefined;
  constructor(holder: ActiveRun | undefined) {
    super(
      `the mutex is held by ${holder === undefined ? 'a run that has just ended' : `the ${holder.kind} ${holder.id}`}`,
    );
    this.holder = holder;
  }
}

/** This executor lost its run, or a key that its run needs, to another one. It may write and undo nothing more. */
export class Fenced extends Error {
  constructor(id: string, cause?: unknown) {
    super(`${id} belongs to another executor now`, { cause });
    this.name = 'Fenced';
  }
}
