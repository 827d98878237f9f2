// A readable line of an agent's output. The wrapper and many programs write one JSON object per line: its message comes first and its
// other members follow. Every other line is unchanged.
import type { Output } from '../output.ts';
import { bad, faint, line, warn, type Block, type Text } from '../view/view.ts';
import type { LogLine } from './read-logs.ts';

export function describeLogLine({ at, stream, line: written }: LogLine, mode: Output['mode']): Block {
  const entry = readEntry(written);
  const text: Text[] =
    entry === undefined
      ? [written]
      : [levelText(entry.level), ' ', entry.message, faint(entry.rest === '' ? '' : `  ${entry.rest}`)];
  if (mode === 'plain') return line(at, ' ', ...text);
  return line(
    faint(new Date(at).toLocaleTimeString('en-GB')),
    stream === 'stderr' ? bad(' │ ') : faint(' │ '),
    ...text,
  );
}

interface Entry {
  level: string;
  message: string;
  rest: string;
}

/** Undefined unless it is a JSON object with a level and a message. */
function readEntry(written: string): Entry | undefined {
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
  return { level, message: said.join(': '), rest: printMembers(rest) };
}

function printMembers(members: Record<string, unknown>): string {
  return Object.entries(members)
    .map(
      ([name, value]) => `${name}=${typeof value === 'string' && /^\S+$/.test(value) ? value : JSON.stringify(value)}`,
    )
    .join(' ');
}

function levelText(level: string): Text {
  const shown = level.toLowerCase().padEnd(7);
  if (/^(error|critical|fatal)/.test(shown)) return bad(shown);
  return shown.startsWith('warn') ? warn(shown) : faint(shown);
}
