// A line of an agent's output: its level, and its members when it is one JSON object, as the wrapper and many programs write it.

/** The gravest first. */
export const logLevels = ['error', 'warning', 'info', 'debug'] as const;
export type LogLevel = (typeof logLevels)[number];

export interface LogEntry {
  level: string;
  message: string;
  /** All other members but the time. */
  rest: Record<string, unknown>;
}

/** Undefined unless it is a JSON object with a level and a message. */
export function readLogEntry(written: string): LogEntry | undefined {
  if (!written.startsWith('{')) return undefined;
  let value: unknown;
  try {
    value = JSON.parse(written);
  } catch {
    return undefined; // a text line of the agent that only begins like an object
  }
  // It begins with a brace, so it is not an array. The engine's time is before every line.
  const { time: _time, timestamp: _timestamp, level, event, message, msg, ...rest } = value as Record<string, unknown>;
  const said = [event, message ?? msg].filter((part) => typeof part === 'string');
  if (typeof level !== 'string' || said.length === 0) return undefined;
  return { level, message: said.join(': '), rest };
}

/** Undefined for a line that names none. */
export function writtenLevel(written: string): LogLevel | undefined {
  const text = withoutColours(written);
  const entry = readLogEntry(text);
  if (entry !== undefined) return namedLevel(entry.level);
  // Programs write it in capitals near the begin of a line; a Python exception ends with its type.
  const word = /\b(ERROR|CRITICAL|FATAL|WARN(?:ING)?|INFO|DEBUG)\b/.exec(text.slice(0, 60))?.[1];
  if (word !== undefined) return namedLevel(word);
  return /^(Traceback \(most recent call last\)|[\w.]{1,200}(Error|Exception)\b)/.test(text.slice(0, 250))
    ? 'error'
    : undefined;
}

function namedLevel(name: string): LogLevel | undefined {
  const lower = name.toLowerCase();
  if (/^(error|critical|fatal|panic)/.test(lower)) return 'error';
  if (lower.startsWith('warn')) return 'warning';
  if (/^(debug|trace)/.test(lower)) return 'debug';
  return lower.startsWith('info') ? 'info' : undefined;
}

const escape = '\u001B';

function withoutColours(text: string): string {
  return text.includes(escape) ? text.replaceAll(/\u001B\[[\d;]{0,40}[A-Za-z]/g, '') : text;
}
