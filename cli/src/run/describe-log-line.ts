// A readable line of an agent's output. The wrapper and many programs write one JSON object per line: its message comes first and its
// other members follow. Every other line is unchanged.
import { readLogEntry } from '@gantry/contract/agents/log-entry.ts';
import type { Output } from '../output.ts';
import { bad, faint, warn, whole, type Block, type Text } from '../view/view.ts';
import type { LogLine } from './read-logs.ts';

/** `source`: of lines from several containers. */
export function describeLogLine(
  { at, stream, line: written }: LogLine,
  { mode, source }: { mode: Output['mode']; source?: string | undefined },
): Block {
  const entry = readLogEntry(written);
  const rest = printMembers(entry?.rest ?? {});
  const text: Text[] =
    entry === undefined
      ? [written]
      : [levelText(entry.level), ' ', entry.message, faint(rest === '' ? '' : `  ${rest}`)];
  const from = source === undefined ? [] : [faint(source), ' '];
  if (mode === 'plain') return whole(at, ' ', ...from, ...text);
  return whole(
    faint(new Date(at).toLocaleTimeString('en-GB')),
    stream === 'stderr' ? bad(' │ ') : faint(' │ '),
    ...from,
    ...text,
  );
}

export function printMembers(members: Record<string, unknown>): string {
  return Object.entries(members)
    .map(
      ([name, value]) => `${name}=${typeof value === 'string' && /^\S+$/.test(value) ? value : JSON.stringify(value)}`,
    )
    .join(' ');
}

export function levelText(level: string): Text {
  const shown = level.toLowerCase().padEnd(7);
  if (/^(error|critical|fatal)/.test(shown)) return bad(shown);
  return shown.startsWith('warn') ? warn(shown) : faint(shown);
}
