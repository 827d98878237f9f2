// The parts of a run are stored as its agent says them, so each process of the service can give them. Promise: all of them are stored before the end of
// the call is. A stream keeps a bounded size. What comes after it is left out, and the end is not.
import { EventEmitter } from 'node:events';
import type { AnsweredMode } from '@gantry/contract/agents/langgraph/runs.ts';
import type { Database } from '../../../../ground/database/database.ts';
import type { Envelope } from '../../../../ground/envelope/envelope.ts';
import { within } from '../../../../ground/within.ts';
import { retryWhileAway } from '../../../invoke/calls/retry-while-away.ts';
import type { Ended } from '../../../invoke/calls/send-call.ts';
import type { Listener } from '../../../invoke/listen.ts';
import { short_ms } from '../../../invoke/upstream.ts';
import { partOf, partPrinter, type Part, type PartPrinter } from '../print-parts.ts';
import { valuesOf } from '../wait.ts';
import * as store from './part-store.ts';

const most_bytes = 16 * 1024 * 1024;
const table = 'langgraph_part';

/** Wakes the readers in this process, by the id of the run. */
export const openPartsTold = (): EventEmitter => new EventEmitter().setMaxListeners(0);

interface Writing {
  db: Database;
  envelope: Envelope;
  told: EventEmitter;
  stopping: AbortSignal;
}

/** For the call of the run. */
export function writeParts(
  { db, envelope, told, stopping }: Writing,
  { run_id, modes }: { run_id: string; modes: ReadonlySet<AnsweredMode> },
): Listener {
  const heard = Promise.withResolvers<void>();
  let printer = partPrinter(modes);
  let [bytes, last_id, isListening, isCut] = [0, 0, false, false];
  let waiting: Part[] = [];
  let writing: Promise<void> | undefined;
  /** Why parts are missing. The end of the call reports it. */
  let failure: unknown;

  const write = async (is_last: boolean) => {
    try {
      while (waiting.length > 0 || is_last) {
        const [first_id, some] = [last_id + 1, waiting.splice(0)];
        // An end without a part of its own takes an id too.
        last_id += Math.max(1, some.length);
        const parts = envelope.seal(JSON.stringify(some), { table, id: `${run_id} ${first_id}` });
        const row = { first_id, last_id, parts, is_last };
        await retryWhileAway(stopping, async () => await store.put(db, run_id, row));
        told.emit(run_id);
        if (is_last) return;
      }
    } finally {
      writing = undefined;
    }
  };
  const add = (part: Part) => {
    bytes += part.event.length + part.data.length;
    isCut ||= bytes > most_bytes;
    if (isCut) return;
    waiting.push(part);
    // Those that come meanwhile go with the next row.
    writing ??= write(false);
    writing.catch((error: unknown) => ([failure, isCut] = [error, true]));
  };
  return {
    signal: new AbortController().signal,
    begin: () => {
      isListening = true;
    },
    hear: (event) => {
      for (const part of printer.of(event)) add(part);
      return !isCut;
    },
    end: () => heard.resolve(),
    beforeEnd: async (ended) => {
      if (isListening) await within(short_ms, heard.promise, stopping);
      await writing?.catch(() => {}); // it is thrown below
      if ('error' in ended && ended.is_left === true) return;
      if (isCut) [printer, waiting] = [partPrinter(modes), []];
      waiting.push(...endParts(ended, printer));
      await write(true);
      if (failure !== undefined) throw new Error('parts of a stream could not be stored', { cause: failure });
    },
  };
}

export function endParts(ended: Ended, { end }: Pick<PartPrinter, 'end'>): Part[] {
  const values = valuesOf(ended);
  const isFailure = typeof values === 'object' && values !== null && '__error__' in values;
  return isFailure ? [partOf('error', values.__error__)] : end(values);
}

/** Throws for a row that was changed. */
export function openParts(
  { envelope }: Pick<Writing, 'envelope'>,
  run_id: string,
  { first_id, parts }: store.PartsRow,
): { id: number; part: Part }[] {
  const opened = envelope.open(parts, { table, id: `${run_id} ${first_id}` });
  // writeParts has sealed them.
  return (JSON.parse(opened) as Part[]).map((part, index) => ({ id: first_id + index, part }));
}
