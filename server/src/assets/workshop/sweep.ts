// Removes the sandboxes of killed processes, also when no work comes that would open sandboxes again.
import { startLoop, type Loop } from '../../ground/queue/loop.ts';
import type { Engine } from '../docker/client.ts';
import { sweepSandboxes } from './sandbox.ts';

interface Sweeping {
  engine: Engine;
  /** No other process of the installation has sandboxes: those from before this one are of a killed one. */
  alone: boolean;
  /** The longest life of a sandbox. */
  deadline_seconds: number;
  onError: (error: unknown) => void;
}

const pause_ms = 10 * 60_000;
const failed_pause_ms = 15_000;

export function startSandboxSweep({ engine, alone, deadline_seconds, onError }: Sweeping): Pick<Loop, 'stop'> {
  const stopping = new AbortController();
  const opened_at = performance.now();
  const work = async () => {
    // The engine counts whole seconds.
    const of_others = Math.ceil((performance.now() - opened_at) / 1000) + 1;
    const older_than_seconds = alone ? of_others : deadline_seconds + 60;
    await sweepSandboxes(engine, { older_than_seconds }, stopping.signal);
  };
  const loop = startLoop(work, {
    pause_ms,
    failed_pause_ms,
    onError: (error) => (stopping.signal.aborted ? undefined : onError(error)),
  });
  return {
    stop: async () => {
      stopping.abort();
      await loop.stop();
    },
  };
}
