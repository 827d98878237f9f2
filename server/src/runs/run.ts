// Work that survives a crash. Promise: without a cancel or a failed step, a run reaches its end, even when processes are killed. Each
// finished step is done once, and one executor acts at a time. A failed step or a cancel undoes the run's steps, newest first. Must never
// happen: a write by an executor without a lease (every write names its fence), or an unreported leftover.
import type { RunState } from '@gantry/contract/run-states.ts';
import type { runStep } from '@gantry/contract/runs.ts';
import type { ProblemDocument } from '@gantry/contract/problems.ts';
import type { Reader, Tx } from '../database/database.ts';
import type { z } from 'zod';
import * as store from './store.ts';

export interface RunActor {
  user_id: string;
  name: string;
}

export interface NewRun {
  kind: string;
  /** One run of a kind holds it at a time. */
  mutex: string;
  /** JSON. */
  input: object;
  actor: RunActor;
  /** The run takes a place of this team's share. */
  team_id?: string;
}

/** The run, for its work. */
export interface Run<Input = unknown> {
  readonly id: string;
  readonly input: Input;
  readonly actor: RunActor;
  /** Grows with every claim. Of two executors, the one with the smaller fence has lost the run. */
  readonly fence: number;
  /** Aborted on cancel, on a lost lease and when the service stops. */
  readonly signal: AbortSignal;
  /**
   * Does `work` once and stores its output (JSON). After a crash, a finished step is not repeated, but an unfinished one is.
   * So `work` first looks for the results of an earlier attempt. `undo` gets the output, or undefined when the step did not finish.
   */
  step<T>(
    name: string,
    work: (signal: AbortSignal) => Promise<T>,
    undo?: (output: T | undefined) => Promise<void>,
  ): Promise<T>;
  log(line: string): void;
  notice(message: string, data?: Record<string, unknown>): void;
  /** First call in a transaction that must happen only once. Locks the run's row. Throws `Fenced` when this executor lost the run. */
  fenced(tx: Tx): Promise<void>;
  /** As `fenced`. After the commit, the run can be neither cancelled nor undone. Throws when a cancel came first. */
  settle(tx: Tx): Promise<void>;
}

/** The end of a run that did not succeed. */
export interface Ending {
  state: 'failed' | 'cancelled' | 'needs_attention';
  problem: ProblemDocument;
}

/** Limits of the runs of a kind in one process: for all, for one team and for one user. Further runs wait, and say so. */
interface Shares {
  max: number;
  team: number;
  user: number;
}

export interface RunKind<Input = unknown> {
  /** By default the process's limit for all kinds. */
  shares?: Shares;
  work(run: Run<Input>): Promise<unknown>;
  /** Called after undo, when the run did not succeed. Writes in the transaction of the run's end, and calls `finish` in it exactly once. */
  end?(run: Run<Input>, ending: Ending, finish: (tx: Tx) => Promise<void>): Promise<void>;
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

/** Throws a unique violation while another run of the kind holds the mutex; `activeRun` names that run. */
export async function enqueue(tx: Tx, run: NewRun): Promise<{ id: string }> {
  const row = await store.insert(tx, run);
  // PostgreSQL delivers it at the commit, and never after a rollback.
  await store.notify(tx, store.work_channel, row.id);
  return row;
}

/** The run that holds the mutex now. */
export async function activeRun(db: Reader, kind: string, mutex: string): Promise<string | undefined> {
  return await store.active(db, kind, mutex);
}

/** True while a run of the kind has not ended. */
export async function isAnyActive(db: Reader, kind: string): Promise<boolean> {
  return await store.anyActive(db, kind);
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

/** This executor lost its run to another one. It may write and undo nothing more. */
export class Fenced extends Error {
  constructor(run_id: string, cause?: unknown) {
    super(`run ${run_id} belongs to another executor now`, { cause });
    this.name = 'Fenced';
  }
}
