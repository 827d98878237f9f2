// Work that survives a crash. Promise: a run that nobody cancels and whose steps do not fail reaches its end, whatever is killed
// meanwhile; each finished step is done once; one executor acts at a time. A step that fails, or a cancel, undoes newest first what this
// run made. Must never happen: an executor that lost its lease writes (every write names its fence), or a leftover that nobody is told of.
import type { RunState, runStep } from '@gantry/contract/runs.ts';
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
  /** Of one kind, one run at a time has it. */
  mutex: string;
  /** JSON. */
  input: object;
  actor: RunActor;
  /** Whose share of the places it takes. */
  team_id?: string;
}

/** What the work of a run gets to hold. */
export interface Run<Input = unknown> {
  readonly id: string;
  readonly input: Input;
  readonly actor: RunActor;
  /** Grows with every claim: of two executors, the one with the smaller fence has lost the run. */
  readonly fence: number;
  /** Aborted on cancel, on a lost lease and when the service stops. */
  readonly signal: AbortSignal;
  /**
   * Does `work` once and remembers what it returns (JSON): a finished step is not repeated after a crash, an unfinished one is, so work
   * first looks for what an earlier attempt left. `undo` gets the output, or nothing where the step did not finish and may have half done it.
   */
  step<T>(
    name: string,
    work: (signal: AbortSignal) => Promise<T>,
    undo?: (output: T | undefined) => Promise<void>,
  ): Promise<T>;
  log(line: string): void;
  notice(message: string, data?: Record<string, unknown>): void;
  /** First thing in a transaction that must not happen twice: holds the run's row, and throws when this executor lost it. */
  fenced(tx: Tx): Promise<void>;
  /** As `fenced`; and once the transaction commits, the run can be neither cancelled nor undone. Throws when a cancel came first. */
  settle(tx: Tx): Promise<void>;
}

/** How a run ends that does not end well. */
export interface Ending {
  state: 'failed' | 'cancelled' | 'needs_attention';
  problem: ProblemDocument;
}

/** How many runs of a kind one process executes at a time: of all, of one team and of one user. What is more waits, and says so. */
interface Shares {
  most: number;
  team: number;
  user: number;
}

export interface RunKind<Input = unknown> {
  /** Without, as many as the process executes of all kinds. */
  shares?: Shares;
  work(run: Run<Input>): Promise<unknown>;
  /**
   * Says something elsewhere in the same transaction in which the run ends badly; calls `finish` in it exactly once. After undo.
   */
  end?(run: Run<Input>, ending: Ending, finish: (tx: Tx) => Promise<void>): Promise<void>;
}

// A map of kinds holds works of different inputs; enqueue() stored each input as its kind takes it.
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

/** Throws a unique violation while another run of the kind has the mutex; `activeRun` names it. */
export async function enqueue(tx: Tx, run: NewRun): Promise<{ id: string }> {
  const row = await store.insert(tx, run);
  // Delivered at commit, never for a transaction that rolled back.
  await store.notify(tx, store.work_channel, row.id);
  return row;
}

/** The run that has the mutex now. */
export async function activeRun(db: Reader, kind: string, mutex: string): Promise<string | undefined> {
  return await store.active(db, kind, mutex);
}

/** Whether any run of a kind has not ended. */
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

/** In the order of the ids; those that are not there are left out. */
export async function findRuns<Input = unknown, Result = unknown>(
  db: Reader,
  ids: readonly string[],
): Promise<RunRow<Input, Result>[]> {
  const rows = new Map((await store.find(db, ids)).map((row) => [row.id, row]));
  return ids.flatMap((id) => rows.get(id) ?? []) as RunRow<Input, Result>[]; // the caller knows the kind it stored
}

/** False when the run has ended or settled already. It ends `cancelled` once what it made is undone. */
export async function requestCancel(tx: Tx, id: string): Promise<boolean> {
  const asked = await store.requestCancel(tx, id);
  if (asked) await store.notify(tx, store.work_channel, id);
  return asked;
}

/** This executor lost its run: another has claimed it, or will. Nothing may be written or undone any more. */
export class Fenced extends Error {
  constructor(run_id: string, cause?: unknown) {
    super(`run ${run_id} belongs to another executor now`, { cause });
    this.name = 'Fenced';
  }
}
