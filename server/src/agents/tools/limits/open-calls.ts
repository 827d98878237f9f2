// The calls of tools of this process that are under way. Each has a lease in its row, so every process counts it, and the death of a process frees its slots.
import type { Database } from '../../../ground/database/database.ts';
import { renewLeases } from '../tool-call-store.ts';

export interface OpenToolCalls {
  add(id: string): void;
  remove(id: string): void;
  close(): void;
}

/** Renewed three times in this time. */
export const lease_ms = 30_000;

export function openToolCalls(db: Database, onError: (error: unknown) => void): OpenToolCalls {
  const ids = new Set<string>();
  let timer: NodeJS.Timeout | undefined;
  const close = () => {
    clearInterval(timer);
    timer = undefined;
  };
  const renew = () => void renewLeases(db, [...ids], lease_ms).catch(onError);
  return {
    add: (id) => {
      ids.add(id);
      timer ??= setInterval(renew, lease_ms / 3);
    },
    remove: (id) => {
      ids.delete(id);
      if (ids.size === 0) close();
    },
    close,
  };
}
