// The states of a run: work that survives a crash, shows its steps, and can have any number of readers.

export const runStates = [
  'queued',
  'running',
  'waiting',
  'cancelling',
  'done',
  'failed',
  'cancelled',
  'needs_attention',
] as const;
export type RunState = (typeof runStates)[number];
export const endedStates = ['done', 'failed', 'cancelled', 'needs_attention'] as const satisfies readonly RunState[];

export function hasEnded(state: RunState): boolean {
  return (endedStates as readonly RunState[]).includes(state); // widened only to ask
}
