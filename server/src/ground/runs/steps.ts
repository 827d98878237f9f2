// The steps of one run, and the steps inside a step. The path of a step identifies it, such as `workers/2/call`.
// Promise: work ends after the steps inside it. When it fails, their signals are aborted and their ends awaited. So undo
// begins only after every step has ended. A step inside another is done once, like every other step.
import { setTimeout as sleep } from 'node:timers/promises';
import { Problem, type ProblemDocument } from '@gantry/contract/problems.ts';
import type { Journal } from './journal.ts';
import { Fenced, RunWaits, type Run, type RunIdentity } from './run.ts';
import type { StoredStep } from './store.ts';

interface Undo {
  path: string;
  n: number;
  output: unknown;
  // The closure of each undo has the type of its own step's output.
  undo: ((output: never) => Promise<void>) | undefined;
}

export interface StepParts {
  run: RunIdentity;
  journal: Journal;
  stored: readonly StoredStep[];
  /** Aborted on cancel, and when the run is lost. */
  signal: AbortSignal;
  lost: AbortSignal;
  toProblem: (error: unknown) => ProblemDocument;
}

export interface Steps {
  perform<T>(work: (run: Run) => Promise<T>): Promise<T>;
  /** Only collects the undos of earlier steps. No step begins. */
  replay(work: (run: Run) => Promise<unknown>): Promise<void>;
  /** The undos of the steps that began, newest first, and the stored steps whose undo the work did not reach again. */
  undos(): Promise<{ undos: Undo[]; unreached: StoredStep[] }>;
}

// A step that ignores its signal has this time. After that, undo begins without its end.
const grace_ms = 5000;
// Limits a step that crashes the process each time.
const max_attempts = 10;

/** Stops collecting at the first step that is not done. */
class Unwound extends Error {}

/** The run, or one of its steps: the surroundings of the steps inside. */
interface Place {
  path: string | null;
  signal: AbortSignal;
  /** Steps return their stored outputs and register their undos. None begins, and nothing is logged. */
  replays: boolean;
}

export function openSteps({ run: identity, journal, stored, signal, lost, toProblem }: StepParts): Steps {
  const before = new Map(stored.map((step) => [step.name, step]));
  const begun = new Map<string, Undo>();
  const known = new Set<string>();
  let last_n = Math.max(0, ...stored.map(({ n }) => n));

  async function perform<T>(place: Place, work: (run: Run) => Promise<T>): Promise<T> {
    const failed = new AbortController();
    const inner = { ...place, signal: AbortSignal.any([place.signal, failed.signal]) };
    const open = new Set<Promise<unknown>>();
    const run: Run = {
      ...identity,
      signal: inner.signal,
      log: (line) => void (place.replays || journal.log(place.path, line)),
      notice: (message, data = {}) => void (place.replays || journal.notice(place.path, message, data)),
      step: async (name, act, undo) => {
        const done = step(inner, name, act, undo);
        open.add(done);
        return await done.finally(() => open.delete(done));
      },
    };
    try {
      const result = await work(run);
      while (open.size > 0) await Promise.all(open);
      return result;
    } catch (error) {
      failed.abort(new Problem('cancelled', { detail: 'It was stopped because another step failed.' }));
      while (open.size > 0) await Promise.allSettled(open);
      throw error;
    }
  }

  async function step<T>(
    place: Place,
    name: string,
    work: (run: Run) => Promise<T>,
    undo?: (output: T | undefined) => Promise<void>,
  ): Promise<T> {
    if (name.includes('/')) throw new Error(`the name of a step has a slash: ${name}`);
    const path = place.path === null ? name : `${place.path}/${name}`;
    if (known.has(path)) throw new Error(`two steps of a run have the path ${path}`);
    known.add(path);
    const earlier = before.get(path);
    const mine: Undo = { path, n: earlier?.n ?? last_n + 1, undo, output: earlier?.output ?? undefined };
    last_n = Math.max(last_n, mine.n);
    lost.throwIfAborted();
    if (earlier?.state === 'done' || place.replays || place.signal.aborted) {
      if (earlier !== undefined && earlier.state !== 'undone') begun.set(path, mine);
      if (stored.some((one) => one.name.startsWith(`${path}/`))) await replay({ ...place, path }, work);
      // Later steps may still need their undo, so an undone step stops nothing.
      if (earlier?.state === 'done' || earlier?.state === 'undone') return earlier.output as T; // the output of this same step
      place.signal.throwIfAborted();
      throw new Unwound();
    }
    begun.set(path, mine);
    if ((await journal.begin({ n: mine.n, path, has_undo: undo !== undefined })) > max_attempts)
      throw new Error(`step ${path} began ${max_attempts} times and never ended`);
    try {
      place.signal.throwIfAborted();
      const output = await withinGrace(perform({ ...place, path }, work), place.signal);
      await journal.endStep(path, { state: 'done', output });
      mine.output = output;
      return output;
    } catch (error) {
      if (error instanceof Fenced || lost.aborted) throw error;
      if (error instanceof RunWaits) {
        await journal.stepWaits(path);
        throw error;
      }
      const problem = toProblem(place.signal.aborted ? place.signal.reason : error);
      await journal.endStep(path, { state: 'failed', problem });
      throw error;
    }
  }

  // An undo is a closure of the work around its step, so that work runs again.
  async function replay(place: Place, work: (run: Run) => Promise<unknown>): Promise<void> {
    try {
      await perform({ ...place, replays: true }, work);
    } catch (error) {
      // An exception between steps has already failed the run, and the ending has it.
      if (error instanceof Fenced) throw error;
    }
  }

  const all: Place = { path: null, signal, replays: false };
  return {
    perform: async (work) => await perform(all, work),
    replay: async (work) => await replay(all, work),
    undos: async () => {
      const unreached = () =>
        stored.filter(({ name, state, has_undo }) => has_undo && state !== 'undone' && !begun.has(name));
      // A parallel branch may reach its steps after another one has stopped the work.
      const overdue = AbortSignal.timeout(grace_ms);
      while (unreached().length > 0 && !overdue.aborted) await sleep(10);
      return { undos: [...begun.values()].toSorted((one, other) => other.n - one.n), unreached: unreached() };
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
