// Headers that have one value. Given twice, one reader takes the first, another the last, a third both with a comma between them: a proxy
// and we could then mean different hosts, people or bodies. Node refuses two lengths by itself, and lets the others through.
import type { IncomingMessage, ServerResponse } from 'node:http';
import { Problem } from '@gantry/contract/problems.ts';
import { answerLast, type OnUnparsed } from './unparsed.ts';

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

/** True when it was refused, and answered. */
export function refuseRepeated(
  { rawHeaders }: IncomingMessage,
  outgoing: ServerResponse,
  onUnparsed: OnUnparsed,
): boolean {
  const names = rawHeaders.filter((_, index) => index % 2 === 0).map((name) => name.toLowerCase());
  const repeated = names.find((name, index) => single.has(name) && names.indexOf(name) !== index);
  if (repeated === undefined) return false;
  const problem = new Problem('malformed', { detail: `The header ${repeated} is given more than once.` });
  answerLast(outgoing, problem, { onUnparsed, why: 'a header twice' });
  return true;
}
