// The use of the processor by instances, from the processor time that their health reports.
import type { Health } from './health.ts';

export interface ProcessorUse {
  /** Notes one look at a running instance. */
  note(id: string, health: Health | undefined, now?: number): void;
  /** The mean of these over the last 30 s, in percent of `cpu_count` processors. Undefined while one of them has no two measurements. */
  percentOf(ids: readonly string[], cpu_count: number): number | undefined;
  /** Forgets all other instances. */
  keepOnly(ids: ReadonlySet<string>): void;
}

interface Sample {
  at: number;
  cpu_seconds: number;
}

const window_ms = 30_000;
// A shorter time says more of one call than of the load.
const least_ms = 10_000;

/** In memory: after a restart of the service the measurements begin again. */
export function processorUse(): ProcessorUse {
  const samples = new Map<string, Sample[]>();

  function useOf(id: string): number | undefined {
    const [first, ...later] = samples.get(id) ?? [];
    const last = later.at(-1);
    if (first === undefined || last === undefined || last.at - first.at < least_ms) return undefined;
    return ((last.cpu_seconds - first.cpu_seconds) * 1000) / (last.at - first.at);
  }

  return {
    note(id, health, now = performance.now()) {
      if (health?.cpu_seconds === undefined) return;
      const { cpu_seconds } = health;
      const before = samples.get(id) ?? [];
      // The count of a restarted container begins again.
      const isSame = (before.at(-1)?.cpu_seconds ?? 0) <= cpu_seconds;
      const recent = isSame ? before.filter(({ at }) => now - at <= window_ms) : [];
      samples.set(id, [...recent, { at: now, cpu_seconds }]);
    },
    percentOf(ids, cpu_count) {
      const uses = ids.flatMap((id) => useOf(id) ?? []);
      if (uses.length === 0 || uses.length < ids.length) return undefined;
      return (uses.reduce((sum, use) => sum + use, 0) / uses.length / cpu_count) * 100;
    },
    keepOnly(ids) {
      for (const id of samples.keys()) if (!ids.has(id)) samples.delete(id);
    },
  };
}
