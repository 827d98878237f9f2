import type { Health } from './health.ts';
import type { InstanceRow } from '../instance-store.ts';

/** A look takes up to five seconds. The next look comes 1.5 seconds later. */
const max_in_a_row = 3;

type Asked = Pick<InstanceRow, 'id' | 'started_at'>;

export interface Silences {
  /** Counts one look. True when the container hangs: it left too many successive looks unanswered. */
  areTooMany(row: Asked, health: Health | undefined): boolean;
  forget(row: Asked): void;
  /** The reason that is stored with the restart. */
  why: string;
}

/** Counted in memory. After a restart of the service the count begins again, which only delays a container's restart. */
export function countSilences(): Silences {
  const counted = new Map<string, { started_at: string; count: number }>();
  return {
    areTooMany({ id, started_at }, health) {
      if (health !== undefined) {
        counted.delete(id);
        return false;
      }
      const before = counted.get(id);
      // A restarted container begins a new count.
      const count = before?.started_at === started_at ? before.count + 1 : 1;
      counted.set(id, { started_at, count });
      return count >= max_in_a_row;
    },
    forget: ({ id }) => void counted.delete(id),
    why: `The container did not answer /health within 5 s, ${max_in_a_row} times in a row, and was killed.`,
  };
}
