// The open calls of instances, from the counts that their health reports.
import type { Health } from './health.ts';

export interface OpenCalls {
  /** Notes one look at a running instance. */
  note(id: string, health: Health | undefined): void;
  /** The open calls of these instances together. An instance without a look has none. */
  of(ids: readonly string[]): { open_calls: number; places: number | undefined };
  /** Forgets all other instances. */
  keepOnly(ids: ReadonlySet<string>): void;
}

interface Looks {
  last: number;
  before: number;
  /** The calls that it runs at once. */
  places: number | undefined;
}

/** In memory: after a restart of the service the looks begin again. */
export function openCalls(): OpenCalls {
  const looks = new Map<string, Looks>();
  return {
    note(id, health) {
      if (health === undefined) return;
      const { in_flight, concurrency: places } = health;
      looks.set(id, { last: in_flight, before: looks.get(id)?.last ?? in_flight, places });
    },
    of(ids) {
      const known = ids.flatMap((id) => looks.get(id) ?? []);
      // The lower one of two looks: a burst that ends between them needs no container.
      const open_calls = known.reduce((sum, { last, before }) => sum + Math.min(last, before), 0);
      return { open_calls, places: known.find(({ places }) => places !== undefined)?.places };
    },
    keepOnly(ids) {
      for (const id of looks.keys()) if (!ids.has(id)) looks.delete(id);
    },
  };
}
