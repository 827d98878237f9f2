// Runs: work that survives a crash, shows its steps, and can have any number of readers.
import { z } from 'zod';

export const runStates = ['queued', 'running', 'cancelling', 'done', 'failed', 'cancelled', 'needs_attention'] as const;
export type RunState = (typeof runStates)[number];
export const endedStates = ['done', 'failed', 'cancelled', 'needs_attention'] as const satisfies readonly RunState[];

export function hasEnded(state: RunState): boolean {
  return (endedStates as readonly RunState[]).includes(state); // widened only to ask
}

export const stepStates = ['pending', 'running', 'done', 'failed', 'undone'] as const;

export const runStep = z.object({
  n: z.number().int(),
  name: z.string(),
  state: z.enum(stepStates),
  started_at: z.string().nullable(),
  ended_at: z.string().nullable(),
  problem: z.record(z.string(), z.unknown()).nullable(),
});

/**
 * One thing that happened in a run. `wait` gives the reason for a late start. The last one has the kind `end` and the run's final state.
 */
export const runEvent = z.object({
  seq: z.number().int(),
  at: z.string(),
  kind: z.enum(['step', 'log', 'notice', 'wait', 'end']),
  step: z.string().nullable(),
  /** For `step`: its new state; for `end`: the run's. */
  state: z.string().nullable(),
  message: z.string(),
  data: z.record(z.string(), z.unknown()),
});
export type RunEvent = z.output<typeof runEvent>;
