// One LISTEN for all readers of a process. The first reader opens it and the last closes it, so a reader needs no connection.
import type { Database } from '../database/database.ts';
import { wakeUp, type WakeUp } from '../queue/wake-up.ts';
import { event_channel } from './store.ts';

interface Listener {
  readers: Set<{ run_id: string; wake: () => void }>;
  listening: Promise<{ close(): Promise<void> }>;
}

const listeners = new WeakMap<Database, Listener>();

/** Its sleep ends with the next event of the run. */
export async function subscribe(
  db: Database,
  run_id: string,
): Promise<Pick<WakeUp, 'sleep'> & { close(): Promise<void> }> {
  const listener = listeners.get(db) ?? listen(db);
  const { wake, sleep } = wakeUp();
  const reader = { run_id, wake };
  listener.readers.add(reader);
  const close = async () => {
    listener.readers.delete(reader);
    if (listener.readers.size > 0 || listeners.get(db) !== listener) return;
    listeners.delete(db);
    await (await listener.listening).close();
  };
  try {
    await listener.listening;
  } catch (error) {
    // A failed listener is dropped, and the next reader opens another.
    if (listeners.get(db) === listener) listeners.delete(db);
    throw error;
  }
  return { sleep, close };
}

function listen(db: Database): Listener {
  const readers: Listener['readers'] = new Set();
  const wakeReaders = (run_id: string) => {
    // An empty payload means a lost connection, so every reader may have missed an event.
    for (const reader of readers) if (run_id === '' || run_id === reader.run_id) reader.wake();
  };
  const listener = { readers, listening: db.listen(event_channel, wakeReaders) };
  listeners.set(db, listener);
  return listener;
}
