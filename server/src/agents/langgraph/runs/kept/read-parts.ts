// The kept parts of a run, from an id on, until its end. A process that died has left its run without an end among the parts: then the stored answer
// gives it.
import type { EventEmitter } from 'node:events';
import { within } from '../../../../ground/within.ts';
import { metadataPart, partPrinter, printPart } from '../print-parts.ts';
import type { RunParts } from '../begin-run.ts';
import * as store from './part-store.ts';
import { endParts, openParts } from './write-parts.ts';

const look_again_ms = 300;
const most_rows = 20;
/** The id of what comes before the first part. */
const first_id = 0;

interface Asked {
  run_id: string;
  /** The id that the reader has last. Undefined: from the beginning. */
  after: number | undefined;
  /** The reader has left, or the service stops. */
  signal: AbortSignal;
  /** Before each look. Throws the refusal of a reader who may not read any more. */
  decide?: () => Promise<unknown>;
  /** The reader has left a run that goes on. */
  onLeave?: () => void;
}

export async function* readParts(
  parts: Pick<RunParts, 'db' | 'envelope'> & { told: EventEmitter },
  { run_id, after, signal, decide, onLeave }: Asked,
): AsyncGenerator<string> {
  let last = after ?? first_id;
  let isOver = false;
  let { promise: more, resolve: wake } = Promise.withResolvers<void>();
  const onTold = () => wake();
  parts.told.on(run_id, onTold);
  try {
    if (after === undefined) yield printPart(metadataPart(run_id), first_id);
    while (!signal.aborted) {
      ({ promise: more, resolve: wake } = Promise.withResolvers<void>());
      await decide?.();
      // Before the parts: those of an ended call are all stored.
      const end = await store.endOf(parts.db, run_id);
      const rows = await store.listAfter(parts.db, run_id, { after: last, most: most_rows });
      for (const row of rows) {
        for (const { id, part } of openParts(parts, run_id, row)) if (id > last) yield printPart(part, id);
        last = row.last_id;
      }
      if (rows.length > 0) continue;
      if (end !== undefined) {
        isOver = true;
        if (end === 'gone' || end.has_last) return;
        const answer = { ...end, retry_after: undefined };
        // What was said while nobody listened is missing, so the values come in any case.
        const ending = endParts({ answer }, partPrinter(new Set(['values'])));
        yield* ending.map((part, index) => printPart(part, last + 1 + index));
        return;
      }
      await within(look_again_ms, more, signal);
    }
  } finally {
    parts.told.off(run_id, onTold);
    if (!isOver) onLeave?.();
  }
}
