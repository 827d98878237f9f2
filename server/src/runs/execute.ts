// Executes one run, from the last executor's state to its end. Undo after a crash runs the work again:
// finished steps return their output from the journal and register their undo. The first unfinished step stops the work.
import { Problem, problemDocument } from '@gantry/contract/problems.ts';
import type { Database } from '../database/database.ts';
import { overtaken } from '../database/overtaken.ts';
import { within } from '../within.ts';
import { openJournal, type Journal } from './journal.ts';
import { Fenced, type Ending, type Run, type RunKind } from './run.ts';
import * as store from './store.ts';

export interface Execution {
  db: Database;
  run: store.ClaimedRun;
  kind: RunKind;
  /** Aborted when somebody cancels the run. */
  cancel: AbortController;
  /** Aborted when this executor must release the run: its lease is lost, or the service stops. */
  lost: AbortController;
  max_log_bytes: number;
  onError: (error: unknown) => void;
}

interface Undo {
  name: string;
  output: unknown;
  // The closure of each undo has the type of its own step's output.
  undo: ((output: never) => Promise<void>) | undefined;
}

// A step that ignores its signal has this time. After that, undo begins without its end.
const grace_ms = 5000;
const undo_deadline_ms = 120_000;
// Limits a step that crashes the process each time.
const max_attempts = 10;

/** Returns when the run has ended. Throws `Fenced`, or the reason of `lost`, when another executor has the run. */
export async function execute(execution: Execution): Promise<void> {
  const { db, run: claimed, kind, lost } = execution;
  const { max_log_bytes } = execution;
  const journal = openJournal(db, claimed, { max_log_bytes, onLost: (error) => lost.abort(error) });
  const undos: Undo[] = [];
  const run = runOf(execution, journal, undos, await store.stepsOf(db, claimed.id));
  const ending = claimed.ending ?? (await carryOn(execution, journal, run));
  if (ending === undefined) return;
  if (claimed.ending !== null) await collectUndos(kind, run);
  lost.signal.throwIfAborted();

  const stays = claimed.ending === null && !(await journal.beginUndo(ending));
  const end = stays ? settledAnyway(ending) : await undoAll(execution, journal, undos, ending);
  let finished = false;
  const finish = async (tx: Parameters<typeof journal.finish>[0]) => {
    finished = await journal.finish(tx, end);
  };
  await (kind.end === undefined ? db.transaction(finish) : kind.end(run, end, finish));
  if (!finished) throw new Error(`the end of run ${claimed.id} was not written`);
}

/** Returns undefined when the run is done, otherwise its ending. */
async function carryOn(execution: Execution, journal: Journal, run: Run): Promise<Ending | undefined> {
  const { db, kind, cancel, lost } = execution;
  let result: unknown;
  try {
    result = await kind.work(run);
  } catch (error) {
    lost.signal.throwIfAborted();
    if (error instanceof Fenced) throw error;
    return { state: cancel.signal.aborted ? 'cancelled' : 'failed', problem: toProblem(execution, error) };
  }
  if (await db.transaction(async (tx) => await journal.finish(tx, { state: 'done', result }))) return undefined;
  return { state: 'cancelled', problem: problemDocument(new Problem('cancelled')) };
}

function toProblem({ cancel, onError }: Execution, error: unknown) {
  // During a cancel, the cancel is the reason for every exception of a step.
  if (cancel.signal.aborted) return problemDocument(new Problem('cancelled'));
  if (error instanceof Problem) return problemDocument(error);
  onError(error);
  const refusal = overtaken(error) ?? new Problem('internal', { hint: 'Look for the run in the service log.' });
  return problemDocument(refusal);
}

/** Stops the work at the first step without an undo. */
class Unwound extends Error {}

async function collectUndos(kind: RunKind, run: Run): Promise<void> {
  try {
    await kind.work(run);
  } catch (error) {
    // An exception between steps has already failed the run, and the ending has it.
    if (error instanceof Fenced) throw error;
  }
}

function runOf(execution: Execution, journal: Journal, undos: Undo[], stored: store.StoredStep[]): Run {
  const { run: claimed, cancel, lost } = execution;
  const steps = new Map(stored.map((step) => [step.name, step]));
  const signal = AbortSignal.any([cancel.signal, lost.signal]);
  let n = 0;
  return {
    id: claimed.id,
    input: claimed.input,
    actor: claimed.actor,
    fence: claimed.fence,
    signal,
    log: journal.log,
    notice: (message, data = {}) => journal.notice(message, data),
    step: async <T>(
      name: string,
      work: (signal: AbortSignal) => Promise<T>,
      undo?: (output: T | undefined) => Promise<void>,
    ) => {
      n += 1;
      if (undos.some((other) => other.name === name)) throw new Error(`two steps of a run have the name ${name}`);
      const before = steps.get(name);
      const mine: Undo = { name, undo, output: before?.output ?? undefined };
      if (before?.state === 'done') {
        undos.push(mine);
        return before.output as T; // the output of this same step
      }
      if (claimed.ending !== null) {
        if (before !== undefined && before.state !== 'undone') undos.push(mine);
        throw new Unwound();
      }
      signal.throwIfAborted();
      undos.push(mine);
      if ((await journal.begin(n, name)) > max_attempts)
        throw new Error(`step ${name} began ${max_attempts} times and never ended`);
      try {
        const output = await withinGrace(work(signal), signal);
        await journal.endStep(name, { state: 'done', output });
        mine.output = output;
        return output;
      } catch (error) {
        if (error instanceof Fenced || lost.signal.aborted) throw error;
        await journal.endStep(name, { state: 'failed', problem: toProblem(execution, error) });
        throw error;
      }
    },
    fenced: async (tx) => {
      if (!(await store.hold(tx, claimed))) throw new Fenced(claimed.id);
    },
    settle: async (tx) => {
      if (!(await store.hold(tx, claimed))) throw new Fenced(claimed.id);
      if (await store.settle(tx, claimed)) return;
      cancel.abort(new Problem('cancelled'));
      throw cancel.signal.reason;
    },
  };
}

async function withinGrace<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  const { promise: overdue, reject } = Promise.withResolvers<never>();
  let timer: NodeJS.Timeout | undefined;
  const aborted = () => (timer = setTimeout(() => reject(signal.reason), grace_ms));
  signal.addEventListener('abort', aborted);
  try {
    return await Promise.race([work, overdue]);
  } finally {
    signal.removeEventListener('abort', aborted);
    clearTimeout(timer);
  }
}

/** Undoes the newest step first. The ending names every step whose undo fails. */
async function undoAll({ onError }: Execution, journal: Journal, undos: Undo[], ending: Ending): Promise<Ending> {
  const leftovers: { step: string; output: unknown; reason: string }[] = [];
  for (const { name, output, undo } of undos.toReversed()) {
    if (undo === undefined) continue;
    try {
      await inTime(undo(output as never)); // the output of this undo's own step
    } catch (error) {
      if (!(error instanceof Problem)) onError(error);
      leftovers.push({
        step: name,
        output: output ?? null,
        reason: error instanceof Problem ? error.detail : 'It failed unexpectedly.',
      });
      continue;
    }
    await journal.endStep(name, { state: 'undone' });
  }
  if (leftovers.length === 0) return ending;
  return { state: 'needs_attention', problem: { ...ending.problem, leftovers } };
}

async function inTime(work: Promise<void>): Promise<void> {
  const isDone = await within(
    undo_deadline_ms,
    work.then(() => true),
  );
  if (isDone === undefined)
    throw new Problem('engine_unavailable', { detail: `The undo did not end within ${undo_deadline_ms / 1000} s.` });
}

// A failure after `settle` undoes nothing, so the run needs attention.
function settledAnyway(ending: Ending): Ending {
  return { state: 'needs_attention', problem: { ...ending.problem, leftovers: [] } };
}
