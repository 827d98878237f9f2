// The times at which work ends: those of a run and of its members.
import type { Problem } from '@gantry/contract/problems.ts';
import type { OrchestrationRun } from './orchestration-run.ts';

/** The work, with a signal that the time aborts too, also in the steps inside it. `problem` is the reason. */
export async function withTime<T>(
  run: OrchestrationRun,
  { ms, problem }: { ms: number; problem: () => Problem },
  work: (run: OrchestrationRun) => Promise<T>,
): Promise<T> {
  const late = new AbortController();
  const timer = setTimeout(() => late.abort(problem()), Math.max(0, ms));
  try {
    return await work(withSignal(run, late.signal));
  } finally {
    clearTimeout(timer);
  }
}

function withSignal(run: OrchestrationRun, signal: AbortSignal): OrchestrationRun {
  return {
    ...run,
    signal: AbortSignal.any([run.signal, signal]),
    step: async (name, act, undo) => await run.step(name, async (step) => await act(withSignal(step, signal)), undo),
  };
}
