// A readable line of the service's log, in the form of `svc logs`. The service writes one JSON object per line (server/src/ground/log.ts); the
// lines of a failed start are text.
import type { Output } from '../output.ts';
import { levelText, printMembers } from '../run/describe-log-line.ts';
import { faint, whole, type Block } from '../view/view.ts';

const levels: Record<number, string> = {
  10: 'trace',
  20: 'debug',
  30: 'info',
  40: 'warning',
  50: 'error',
  60: 'fatal',
};

export function describeServerLine(text: string, mode: Output['mode']): Block {
  const entry = readEntry(text);
  if (entry === undefined) return whole(text);
  const { time, level, msg, method, path, status, ms, ...rest } = entry;
  const at = typeof time !== 'string' ? '' : mode === 'plain' ? time : new Date(time).toLocaleTimeString('en-GB');
  // The line of a request: `GET /api/v1/teams 200 3 ms`.
  const said = (method === undefined ? [msg] : [method, path, status, ms]).filter(isScalar).join(' ');
  const members = printMembers(rest);
  return whole(
    faint(at),
    ' ',
    levelText(levels[Number(level)] ?? 'info'),
    ' ',
    typeof ms === 'number' ? `${said} ms` : said,
    faint(members === '' ? '' : `  ${members}`),
  );
}

const isScalar = (value: unknown): value is string | number => typeof value === 'string' || typeof value === 'number';

function readEntry(text: string): Record<string, unknown> | undefined {
  if (!text.startsWith('{')) return undefined;
  try {
    return JSON.parse(text) as Record<string, unknown>; // it begins with a brace
  } catch {
    // The first half of a line that is being written, or a text that only begins like an object.
    return undefined;
  }
}
