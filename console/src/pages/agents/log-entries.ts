// A line of an agent's output as the page shows it: its level, its message, and the ids by which one call is found.
import type { Answer } from '@gantry/contract/endpoint.ts';
import type { Endpoints } from '@gantry/contract/endpoints.ts';
import { readLogEntry } from '@gantry/contract/log-entry.ts';
import { withoutAnsi } from '../../parts/log/ansi.tsx';

type LogLine = Answer<Endpoints['agents.logs']> extends AsyncIterable<{ data: infer Data }> ? Data : never;

export const levels = ['error', 'warning', 'info', 'debug'] as const;
export type Level = (typeof levels)[number];

export interface Entry {
  key: string;
  at: string;
  revision: string;
  /** Undefined where the line names none. */
  level: Level | undefined;
  /** With its colours. */
  message: string;
  /** As it was written, without colours. */
  written: string;
  /** The members of a JSON line beside its level and message. */
  rest: Record<string, unknown> | undefined;
  /** The run or the trace of its call. */
  request: string | undefined;
}

export interface LogFilter {
  level?: string | undefined;
  text?: string | undefined;
  request?: string | undefined;
  revision?: string | undefined;
}

let read = 0;

export function readLine({ at, line, revision }: LogLine): Entry {
  const written = withoutAnsi(line);
  const json = readLogEntry(written);
  return {
    key: String(read++),
    at,
    revision,
    level: json === undefined ? levelIn(written) : levelOf(json.level),
    message: json?.message ?? line,
    written,
    rest: json?.rest,
    request: requestOf(json?.rest),
  };
}

export function fits(entry: Entry, { level, text, request, revision }: LogFilter): boolean {
  return (
    (level === undefined || entry.level === level) &&
    (revision === undefined || entry.revision.startsWith(revision)) &&
    (request === undefined || entry.written.includes(request)) &&
    (text === undefined || entry.written.toLowerCase().includes(text.toLowerCase()))
  );
}

function levelOf(name: string): Level | undefined {
  const lower = name.toLowerCase();
  if (/^(error|critical|fatal|panic)/.test(lower)) return 'error';
  if (lower.startsWith('warn')) return 'warning';
  if (/^(debug|trace)/.test(lower)) return 'debug';
  return lower.startsWith('info') ? 'info' : undefined;
}

/** Programs write it in capitals near the begin of a line; a Python exception ends with its type. */
function levelIn(text: string): Level | undefined {
  const word = /\b(ERROR|CRITICAL|FATAL|WARN(?:ING)?|INFO|DEBUG)\b/.exec(text.slice(0, 60))?.[1];
  if (word !== undefined) return levelOf(word);
  return /^(Traceback \(most recent call last\)|[\w.]+(Error|Exception)\b)/.test(text) ? 'error' : undefined;
}

function requestOf(rest: Record<string, unknown> | undefined): string | undefined {
  for (const name of ['run_id', 'request_id', 'trace_id']) {
    const id = rest?.[name];
    if (typeof id === 'string' && /^[\w-]{8,64}$/.test(id)) return id;
  }
  return undefined;
}
