// One executor's writes for one run: steps and events in their order, each write under the executor's fence.
// Log lines wait for up to 100 ms or 64 KB. So a build with much output needs a few inserts a second instead of thousands.
import type { RunEvent } from '@gantry/contract/agents/runs.ts';
import type { Database, Tx } from '../database/database.ts';
import { Fenced, type Ending } from './run.ts';
import * as store from './store.ts';

export interface Journal {
  /** Returns the number of the attempt. */
  begin(step: Parameters<typeof store.beginStep>[2]): Promise<number>;
  endStep(path: string, end: Parameters<typeof store.endStep>[3]): Promise<void>;
  stepWaits(path: string): Promise<void>;
  /** The last write of this executor: from now on nobody executes the run. */
  wait(): Promise<void>;
  /** Without a path, the line belongs to no step. */
  log(path: string | null, line: string): void;
  notice(path: string | null, message: string, data: Record<string, unknown>): void;
  /** False when the run has settled: then nothing can be undone. */
  beginUndo(ending: Ending): Promise<boolean>;
  /** Writes all waiting events, the end and its event. False, without a write, when a cancel came first. */
  finish(tx: Tx, end: Parameters<typeof store.finish>[2]): Promise<boolean>;
}

interface JournalSettings {
  max_log_bytes: number;
  /** Called when a write failed: this executor can write no more. */
  onLost: (error: Error) => void;
}

const batch_ms = 100;
const batch_bytes = 65_536;

export function openJournal(db: Database, run: store.ClaimedRun, { max_log_bytes, onLost }: JournalSettings): Journal {
  let waiting: store.NewEvent[] = [];
  let waiting_bytes = 0;
  let logged_bytes = run.log_bytes;
  let timer: NodeJS.Timeout | undefined;
  let written: Promise<unknown> = Promise.resolve();
  let ended = false;

  function add(event: store.NewEvent, bytes = 0): void {
    if (ended) return;
    waiting.push(event);
    waiting_bytes += bytes;
    if (waiting_bytes >= batch_bytes) flush();
    else timer ??= setTimeout(flush, batch_ms);
  }

  function flush(): void {
    write().catch(onLost);
  }

  async function writeWaiting(tx: Tx): Promise<void> {
    clearTimeout(timer);
    timer = undefined;
    const [events, bytes] = [waiting, waiting_bytes];
    [waiting, waiting_bytes] = [[], 0];
    if (events.length > 0 && !(await store.append(tx, run, events, bytes))) throw new Fenced(run.id);
    await store.notify(tx, store.event_channel, run.id);
  }

  // Writes run one after the other. After a failed write, all later writes fail.
  async function write<T>(more?: (tx: Tx) => Promise<T>): Promise<T | undefined> {
    const writing = written.then(async () => {
      return await db.transaction(async (tx) => {
        if (more !== undefined && !(await store.hold(tx, run))) throw new Fenced(run.id);
        const result = await more?.(tx);
        await writeWaiting(tx);
        return result;
      });
    });
    written = writing;
    try {
      return await writing;
    } catch (error) {
      throw error instanceof Fenced ? error : new Fenced(run.id, error);
    }
  }

  return {
    begin: async (step) => {
      add(stepEvent(step.path, 'running'));
      return (await write((tx) => store.beginStep(tx, run.id, step))) ?? 1;
    },
    endStep: async (path, end) => {
      add(
        stepEvent(path, end.state, end.state === 'failed' && end.problem !== undefined ? { problem: end.problem } : {}),
      );
      await write((tx) => store.endStep(tx, run.id, path, end));
    },
    stepWaits: async (path) => {
      add(stepEvent(path, 'waiting'));
      await write((tx) => store.stepWaits(tx, run.id, path));
    },
    wait: async () => {
      await write(async (tx) => {
        if (await store.beginWait(tx, run))
          add({ kind: 'wait', step: null, state: 'waiting', message: 'Waits for a person.', data: {} });
        else await store.notify(tx, store.work_channel, run.id);
      });
      ended = true;
    },
    log: (step, line) => {
      if (logged_bytes > max_log_bytes) return;
      const bytes = Buffer.byteLength(line) + 1;
      logged_bytes += bytes;
      if (logged_bytes <= max_log_bytes)
        return add({ kind: 'log', step, state: null, message: clean(line), data: {} }, bytes);
      const message = `The log is cut off here: a run keeps ${max_log_bytes} bytes of log.`;
      add({ kind: 'notice', step, state: null, message, data: { truncated: true } }, bytes);
    },
    notice: (step, message, data) => add({ kind: 'notice', step, state: null, message: clean(message), data }),
    beginUndo: async (ending) => (await write((tx) => store.beginUndo(tx, run, ending))) ?? false,
    finish: async (tx, end) => {
      // The end is the last event, so the current write must finish first.
      await written;
      if (!(await store.hold(tx, run))) throw new Fenced(run.id);
      if (!(await store.finish(tx, run, end))) return false;
      const data: Record<string, unknown> =
        end.state === 'done' ? { result: end.result ?? null } : { problem: end.problem };
      add({ kind: 'end', step: null, state: end.state, message: end.state, data });
      await writeWaiting(tx);
      ended = true;
      return true;
    },
  };
}

function stepEvent(name: string, state: RunEvent['state'], data: Record<string, unknown> = {}): store.NewEvent {
  return { kind: 'step', step: name, state, message: name, data };
}

// A text column cannot hold a NUL character.
function clean(text: string): string {
  return text.replaceAll('\0', '\ufffd');
}
