// Where the reader of a stream that broke goes on: after the event with this id. Undefined when it begins, and for an id that is none of
// the stream's.
import { z } from 'zod';
import type { RequestHeaders } from './request-headers.ts';

const seq = z.coerce.number().int().min(0);
const instant = z.iso.datetime();

/** Of a stream whose ids count up. */
export function lastSeq(headers: RequestHeaders): number | undefined {
  return lastEventId(headers, seq);
}

/** Of a stream whose ids are instants. */
export function lastInstant(headers: RequestHeaders): string | undefined {
  return lastEventId(headers, instant);
}

function lastEventId<Id>(headers: RequestHeaders, schema: z.ZodType<Id>): Id | undefined {
  return schema.safeParse(headers.get('last-event-id') ?? undefined).data;
}
