// What the worker of a test reported.
import { isAway } from '../ground/database/database.ts';

export interface WorkerErrors {
  /** For the settings of a worker. */
  onError: (error: unknown) => void;
  /** Throws what was reported since the last time. */
  expectNone(): void;
}

/** A busy machine can take longer for a connection than a short lease gives. The worker tries it again, and the test goes on. */
export function openWorkerErrors(): WorkerErrors {
  let met: unknown[] = [];
  return {
    onError: (error) => void (isAway(error) ? undefined : met.push(error)),
    expectNone() {
      const all = met;
      met = [];
      if (all.length > 0) throw new AggregateError(all, 'the worker reported unexpected errors');
    },
  };
}
