// The position after which a broken stream continues: the event with this id. Undefined at the start, and for an id of another
// stream.
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
