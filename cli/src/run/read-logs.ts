// Reads an agent's output. While it is followed, whatever the connection does: each reconnect resumes after the last line seen
// (Last-Event-ID), so nothing comes twice.
import { setTimeout as delay } from 'node:timers/promises';
import type { Send } from '@gantry/contract/client.ts';
import type { Answer } from '@gantry/contract/endpoint.ts';
import type { Endpoints } from '@gantry/contract/endpoints.ts';
import { suggestAgent } from '../agent-name.ts';
import type { Session } from '../session.ts';
import { faint } from '../view/view.ts';
import { isPassing } from './is-passing.ts';

export interface LogsToRead {
  name: string;
  follow: boolean;
  query: Send<'agents.logs'>['query'];
  /** Ends the reading, which is no failure. */
  signal: AbortSignal;
  /** How long the service may stay away before the client gives up. */
  patience_milliseconds?: number;
}

type LogStream = Answer<Endpoints['agents.logs']>;
export type LogLine = LogStream extends AsyncIterable<{ data: infer Data }> ? Data : never;

/** Ends with the log, and where it is followed only with the signal. A service that does not answer at first is not waited for. */
export async function* readLogs(session: Session, logs: LogsToRead): AsyncGenerator<LogLine> {
  const { name, follow, query, signal, patience_milliseconds = 60_000 } = logs;
  let last_event_id: string | undefined;
  let wasReached = false;
  let awaySince: number | undefined;
  for (let attempt = 0; !signal.aborted; attempt++) {
    try {
      const resume = last_event_id === undefined ? {} : { last_event_id };
      const stream = await suggestAgent(session, name, () =>
        session.call('agents.logs', { params: { name }, query }, { signal, ...resume }),
      );
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
