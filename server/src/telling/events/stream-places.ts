import { Problem } from '@gantry/contract/problems.ts';

export interface StreamPlaces {
  /** Throws `too_many_requests` when the caller has no free place. */
  requireFree(caller_id: string): void;
  /** Takes a place from the first event to the end. */
  during<Event>(caller_id: string, events: AsyncIterable<Event>): AsyncIterable<Event>;
}

/** The open streams of each caller in this process. */
export function streamPlaces(max: number): StreamPlaces {
  const taken = new Map<string, number>();
  const places: StreamPlaces = {
    requireFree(caller_id) {
      if ((taken.get(caller_id) ?? 0) < max) return;
      throw new Problem('too_many_requests', {
        detail: `You have ${max} open streams, and no more are allowed. Close another page first.`,
        retry_after_seconds,
      });
    },
    async *during(caller_id, events) {
      places.requireFree(caller_id);
      taken.set(caller_id, (taken.get(caller_id) ?? 0) + 1);
      try {
        yield* events;
      } finally {
        const left = (taken.get(caller_id) ?? 1) - 1;
        if (left === 0) taken.delete(caller_id);
        else taken.set(caller_id, left);
      }
    },
  };
  return places;
}

const retry_after_seconds = 30;
