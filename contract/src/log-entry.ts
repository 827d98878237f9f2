// A line of an agent's output that is one JSON object, as the wrapper and many programs write it.

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
