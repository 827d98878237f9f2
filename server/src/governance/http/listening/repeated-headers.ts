// Headers with a single value. With two values, one reader takes the first, another the last, and a third joins them with a comma. A proxy
// and this service could then mean different hosts, users or bodies. Node itself refuses only a second length.
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

/** The refusal of a request with a second value for one of them. */
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
