// How long instances have had no calls, from the counts that their health reports.
import type { Health } from './health.ts';

export interface Idleness {
  /** Notes one look at a running instance. */
  note(id: string, health: Health | undefined, now?: number): void;
  /** The time since the last call of any of these. 0 while one of them was not looked at. */
  idleMs(ids: readonly string[], now?: number): number;
  /** Forgets all other instances. */
  keepOnly(ids: ReadonlySet<string>): void;
}

/** In memory: after a restart of the service the time begins again. */
export function idleness(): Idleness {
  const seen = new Map<string, { calls: number; busy_at: number }>();
  return {
    note(id, health, now = performance.now()) {
      if (health === undefined) return;
      const { in_flight, calls } = health;
      const before = seen.get(id);
      // A container of an earlier image counts no calls, so it is never idle.
      if (calls === undefined || in_flight > 0 || before?.calls !== calls)
        seen.set(id, { calls: calls ?? 0, busy_at: now });
    },
    idleMs: (ids, now = performance.now()) => Math.min(...ids.map((id) => now - (seen.get(id)?.busy_at ?? now))),
    keepOnly(ids) {
      for (const id of seen.keys()) if (!ids.has(id)) seen.delete(id);
    },
  };
}
