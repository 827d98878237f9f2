import type { Health } from './health.ts';
import type { InstanceRow } from './store.ts';

/** A look asks for up to five seconds, and the next one comes two seconds later. */
const max_in_a_row = 3;

type Asked = Pick<InstanceRow, 'revision_id' | 'started_at'>;

export interface Silences {
  /** Counts one more look. True once the container has not answered so often in a row that it counts as hung. */
  areTooMany(row: Asked, health: Health | undefined): boolean;
  forget(row: Asked): void;
  /** For the record. */
  why: string;
}

/** Counted in memory: a service that was started anew counts anew, which only delays a restart. */
export function countSilences(): Silences {
  const counted = new Map<string, { started_at: string; count: number }>();
  return {
    areTooMany({ revision_id, started_at }, health) {
      if (health !== undefined) {
        counted.delete(revision_id);
        return false;
      }
      const before = counted.get(revision_id);
      // What was started anew since has its own count.
      const count = before?.started_at === started_at ? before.count + 1 : 1;
      counted.set(revision_id, { started_at, count });
      return count >= max_in_a_row;
    },
    forget: ({ revision_id }) => void counted.delete(revision_id),
    why: `The container did not answer /health within 5 s, ${max_in_a_row} times in a row, and was killed.`,
  };
}
