// One LISTEN for all readers of a process, opened by the first and closed with the last: a reader costs no connection.
import type { Database } from '../database/database.ts';
import { bell, type Bell } from './bell.ts';
import { event_channel } from './store.ts';

interface Hub {
  readers: Set<{ run_id: string; bell: Bell }>;
  listening: Promise<{ close(): Promise<void> }>;
}

const hubs = new WeakMap<Database, Hub>();

/** A bell that rings when something happened in the run. */
export async function subscribe(db: Database, run_id: string): Promise<{ bell: Bell; close(): Promise<void> }> {
  const hub = hubs.get(db) ?? openHub(db);
  const reader = { run_id, bell: bell() };
  hub.readers.add(reader);
  const close = async () => {
    hub.readers.delete(reader);
    if (hub.readers.size > 0 || hubs.get(db) !== hub) return;
    hubs.delete(db);
    await (await hub.listening).close();
  };
  try {
    await hub.listening;
  } catch (error) {
    // A hub that could not listen serves nobody; the next reader opens another.
    if (hubs.get(db) === hub) hubs.delete(db);
    throw error;
  }
  return { bell: reader.bell, close };
}

function openHub(db: Database): Hub {
  const readers: Hub['readers'] = new Set();
  const ring = (run_id: string) => {
    // The empty payload means that the connection was lost for a while: anything may have happened.
    for (const reader of readers) if (run_id === '' || run_id === reader.run_id) reader.bell.ring();
  };
  const hub = { readers, listening: db.listen(event_channel, ring) };
  hubs.set(db, hub);
  return hub;
}
