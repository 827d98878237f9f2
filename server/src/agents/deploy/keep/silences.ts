import { isDialled } from '../dial-in/dialled.ts';
import type { Health } from './health.ts';
import type { InstanceRow } from '../instance-store.ts';

/** A look takes up to five seconds. The next look comes 1.5 seconds later. */
const max_in_a_row = 3;
/**
 * A container that ends refuses connections at once, and needs up to 6 s for that (stop-grace.ts). Three looks at it take less, so it also
 * needs this time to count as hanging. One that does not answer needs longer anyway.
 */
const least_ms = 8000;
/** A broken network is no dead run: an instance that dials in has this time to come back. */
const dialled_grace_ms = 60_000;

type Asked = Pick<InstanceRow, 'id' | 'started_at' | 'url'>;

export interface Silences {
  /** Counts one look. True when the container hangs: it left too many successive looks unanswered. */
  areTooMany(row: Asked, health: Health | undefined, now?: number): boolean;
  forget(row: Asked): void;
  /** The reason that is stored with the restart. */
  why: string;
}

/** Counted in memory. After a restart of the service the count begins again, which only delays a container's restart. */
export function countSilences(hung_after_ms = least_ms): Silences {
  const counted = new Map<string, { started_at: string; count: number; since: number }>();
  return {
    areTooMany({ id, started_at, url }, health, now = performance.now()) {
      if (health !== undefined) {
        counted.delete(id);
        return false;
      }
      const before = counted.get(id);
      // A restarted container begins a new count.
      const isFurther = before?.started_at === started_at;
      const { count, since } = isFurther ? { ...before, count: before.count + 1 } : { count: 1, since: now };
      counted.set(id, { started_at, count, since });
      return (
        count >= max_in_a_row && now - since >= (url !== null && isDialled(url) ? dialled_grace_ms : hung_after_ms)
      );
    },
    forget: ({ id }) => void counted.delete(id),
    why: `The container did not answer /health within 5 s, ${max_in_a_row} times in a row, and was killed.`,
  };
}
