// The connections that the proxy refused an agent, for its status. A hostile agent chooses the number of its destinations and attempts. So
// they are counted in memory, at most fifty destinations of a revision, and stored together.
import type { Database } from '../../../ground/database/database.ts';
import type { RefusedEgress } from '../targets/open-destination.ts';
import * as store from '../store.ts';

export interface RefusedEgressLog {
  add(refused: RefusedEgress): void;
  close(): Promise<void>;
}

const store_every_ms = 2000;
const max_destinations = 50;
const max_revisions = 1000;

export function openRefusedEgressLog(
  db: Database,
  { log, onError }: { log: { warn(what: object, message: string): void }; onError: (error: unknown) => void },
): RefusedEgressLog {
  const known = new Map<string, Set<string>>();
  const counted = new Map<string, store.RefusedEgressRow>();
  let timer: NodeJS.Timeout | undefined;
  let storing = Promise.resolve();

  const put = () => {
    timer = undefined;
    const rows = [...counted.values()];
    counted.clear();
    storing = storing.then(async () => await store.addRefusedEgress(db, rows)).catch(onError);
  };

  return {
    add: ({ agent, revision_id, destination, reason }) => {
      const destinations = known.get(revision_id) ?? new Set();
      const isNew = !destinations.has(destination);
      if (isNew && destinations.size >= max_destinations) return;
      destinations.add(destination);
      known.delete(revision_id);
      known.set(revision_id, destinations);
      const [oldest] = known.keys();
      if (known.size > max_revisions && oldest !== undefined) known.delete(oldest);
      if (isNew) log.warn({ agent, destination, reason }, 'an agent asked for a destination that it may not reach');
      const key = `${revision_id} ${destination}`;
      counted.set(key, { revision_id, destination, reason, count: (counted.get(key)?.count ?? 0) + 1 });
      timer ??= setTimeout(put, store_every_ms);
    },
    close: async () => {
      clearTimeout(timer);
      put();
      await storing;
    },
  };
}
