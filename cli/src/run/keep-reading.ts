// Reads a stream across lost connections. Each reconnect resumes after the last event received (Last-Event-ID), so each event comes exactly
// once.
import { setTimeout as delay } from 'node:timers/promises';
import type { CallOptions } from '@gantry/contract/client/client.ts';
import type { StreamEvent } from '@gantry/contract/endpoint.ts';
import type { Session } from '../session/session.ts';
import { faint } from '../view/view.ts';
import { isPassing } from './is-passing.ts';

export interface Reading {
  /** Also read new events, across lost connections. */
  follow: boolean;
  /** Ends the reading without an error. */
  signal: AbortSignal;
  /** How long the service may be unreachable before the client gives up. */
  patience_milliseconds?: number | undefined;
}

/** Ends with the stream; with `follow` only with the signal. A failed first connection ends it at once. */
export async function* keepReading<Data>(
  session: Session,
  { follow, signal, patience_milliseconds = 60_000 }: Reading,
  open: (options: CallOptions) => Promise<AsyncIterable<StreamEvent<Data>>>,
): AsyncGenerator<Data> {
  let last_event_id: string | undefined;
  let wasReached = false;
  let awaySince: number | undefined;
  for (let attempt = 0; !signal.aborted; attempt++) {
    try {
      const stream = await open({ signal, ...(last_event_id === undefined ? {} : { last_event_id }) });
      [wasReached, awaySince] = [true, undefined];
      for await (const { id, data } of stream) {
        [last_event_id, attempt] = [id ?? last_event_id, 0];
        yield data;
      }
      if (!follow) return;
    } catch (error) {
      if (signal.aborted) return;
      if (!follow || !wasReached || !isPassing(error)) throw error;
      if (awaySince !== undefined && Date.now() - awaySince > patience_milliseconds) throw error;
    }
    if (signal.aborted) return;
    if (awaySince === undefined) session.output.note(faint('The connection to the service is lost; reconnecting'));
    awaySince ??= Date.now();
    await delay(Math.min(5000, 250 * 2 ** attempt), undefined, { signal }).catch(() => {}); // the reader leaves
  }
}
