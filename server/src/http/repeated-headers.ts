// Headers that have one value. Given twice, one reader takes the first, another the last, a third both with a comma between them: a proxy
// and we could then mean different hosts, people or bodies. Node refuses two lengths by itself, and lets the others through.
import type { IncomingMessage } from 'node:http';
import { Problem } from '@gantry/contract/problems.ts';

const single = new Set([
  'host',
  'authorization',
  'content-encoding',
  'content-type',
  'cookie',
  'expect',
  'idempotency-key',
  'last-event-id',
  'origin',
  'sec-fetch-site',
  'transfer-encoding',
  'x-service-team',
]);

/** The refusal of a request with one of them twice. */
export function repeatedHeader({ rawHeaders }: IncomingMessage): Problem | undefined {
  const seen = new Set<string>();
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at]?.toLowerCase() ?? '';
    if (!single.has(name)) continue;
    if (seen.has(name)) return new Problem('malformed', { detail: `The header ${name} is given more than once.` });
    seen.add(name);
  }
  return undefined;
}
