// Runs, their steps and their events.
import { z } from 'zod';

export const stepStates = ['pending', 'running', 'waiting', 'done', 'failed', 'undone'] as const;

export const runStep = z.object({
  n: z.number().int(),
  name: z.string(),
  state: z.enum(stepStates),
  started_at: z.string().nullable(),
  ended_at: z.string().nullable(),
  problem: z.record(z.string(), z.unknown()).nullable(),
});

/**
 * One thing that happened in a run. `wait` gives the reason for a late start, or says with the state `waiting` that a person must act. The last one has the kind `end` and the run's final state.
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
