// Executes one run, from the last executor's state to its end. Undo after a crash runs the work again:
// finished steps return their output from the journal and register their undo. An unfinished step stops the work.
import { Problem, problemDocument } from '@gantry/contract/problems.ts';
import type { Database } from '../database/database.ts';
import { overtaken } from '../database/overtaken.ts';
import { within } from '../within.ts';
import { openJournal, type Journal } from './journal.ts';
import { Fenced, RunWaits, type Ending, type RunIdentity, type RunKind } from './run.ts';
import { openSteps, type Steps } from './steps.ts';
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

const undo_deadline_ms = 120_000;

/** Returns when the run has ended, or waits. Throws `Fenced`, or the reason of `lost`, when another executor has the run. */
export async function execute(execution: Execution): Promise<void> {
  const { db, run: claimed, kind, lost } = execution;
  const { max_log_bytes } = execution;
  const journal = openJournal(db, claimed, { max_log_bytes, onLost: (error) => lost.abort(error) });
  const run = identityOf(execution);
  const steps = openSteps({
    run,
    journal,
    stored: await store.stepsOf(db, claimed.id),
    signal: AbortSignal.any([execution.cancel.signal, lost.signal]),
    lost: lost.signal,
    toProblem: (error) => toProblem(execution, error),
  });
  const ending = claimed.ending ?? (await carryOn(execution, journal, steps));
  if (ending === undefined) return;
  if (claimed.ending !== null) await steps.replay(async (again) => await kind.work(again));
  lost.signal.throwIfAborted();

  const stays = claimed.ending === null && !(await journal.beginUndo(ending));
  const end = stays ? settledAnyway(ending) : await undoAll(execution, journal, await steps.undos(), ending);
  let finished = false;
  const finish = async (tx: Parameters<typeof journal.finish>[0]) => {
    finished = await journal.finish(tx, end);
  };
  await (kind.end === undefined ? db.transaction(finish) : kind.end(run, end, finish));
  if (!finished) throw new Error(`the end of run ${claimed.id} was not written`);
}

/** Returns undefined when the run is done or waits, otherwise its ending. */
async function carryOn(execution: Execution, journal: Journal, steps: Steps): Promise<Ending | undefined> {
  const { db, run: claimed, kind, cancel, lost } = execution;
  if (!claimed.begun) return cancelled();
  let result: unknown;
  try {
    result = await steps.perform(async (run) => await kind.work(run));
  } catch (error) {
    lost.signal.throwIfAborted();
    if (error instanceof Fenced) throw error;
    if (error instanceof RunWaits) {
      await journal.wait();
      return undefined;
    }
    return { state: cancel.signal.aborted ? 'cancelled' : 'failed', problem: toProblem(execution, error) };
  }
  if (await db.transaction(async (tx) => await journal.finish(tx, { state: 'done', result }))) return undefined;
  return cancelled();
}

function cancelled(): Ending {
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

function identityOf({ run: claimed, cancel }: Execution): RunIdentity {
  const { id, input, actor, fence, waited_ms } = claimed;
  const fenced: RunIdentity['fenced'] = async (tx) => {
    if (!(await store.hold(tx, claimed))) throw new Fenced(id);
  };
  return {
    id,
    input,
    actor,
    fence,
    waited_ms,
    fenced,
    settle: async (tx) => {
      await fenced(tx);
      if (await store.settle(tx, claimed)) return;
      cancel.abort(new Problem('cancelled'));
      throw cancel.signal.reason;
    },
  };
}

/** Undoes in the given order. The ending names every step whose undo fails or is missing. */
async function undoAll(
  { onError }: Execution,
  journal: Journal,
  { undos, unreached }: Awaited<ReturnType<Steps['undos']>>,
  ending: Ending,
): Promise<Ending> {
  const leftovers: { step: string; output: unknown; reason: string }[] = unreached.map(({ name, output }) => ({
    step: name,
    output: output ?? null,
    reason: 'Its undo was not reached again after a crash.',
  }));
  for (const { path, output, undo } of undos) {
    if (undo === undefined) continue;
    try {
      await inTime(undo(output as never)); // the output of this undo's own step
    } catch (error) {
      if (!(error instanceof Problem)) onError(error);
      leftovers.push({
        step: path,
        output: output ?? null,
        reason: error instanceof Problem ? error.detail : 'It failed unexpectedly.',
      });
      continue;
    }
    await journal.endStep(path, { state: 'undone' });
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
