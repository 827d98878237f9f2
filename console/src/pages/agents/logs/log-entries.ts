// A line of an agent's output as the page shows it: its level, its message, and the ids by which one call is found.
import type { Answer } from '@gantry/contract/endpoint.ts';
import type { Endpoints } from '@gantry/contract/endpoints.ts';
import { readLogEntry, writtenLevel, type LogLevel } from '@gantry/contract/agents/log-entry.ts';
import { withoutAnsi } from '../../../parts/log/ansi.tsx';

type LogLine = Answer<Endpoints['agents.logs']> extends AsyncIterable<{ data: infer Data }> ? Data : never;

export interface Entry {
  key: string;
  at: string;
  revision: string;
  /** Undefined where the line names none. */
  level: LogLevel | undefined;
  /** With its colours. */
  message: string;
  /** As it was written, without colours. */
  written: string;
  /** The members of a JSON line beside its level and message. */
  rest: Record<string, unknown> | undefined;
  /** The run or the trace of its call. */
  request: string | undefined;
}

let read = 0;

export function readLine({ at, line, revision }: LogLine): Entry {
  const written = withoutAnsi(line);
  const json = readLogEntry(written);
  return {
    key: String(read++),
    at,
    revision,
    level: writtenLevel(written),
    message: json?.message ?? line,
    written,
    rest: json?.rest,
    request: requestOf(json?.rest),
  };
}

function requestOf(rest: Record<string, unknown> | undefined): string | undefined {
  for (const name of ['run_id', 'request_id', 'trace_id']) {
    const id = rest?.[name];
    if (typeof id === 'string' && /^[\w-]{8,64}$/.test(id)) return id;
  }
  return undefined;
}
