// The position after which a broken stream continues: the event with this id. Undefined at the start, and for an id of another
// stream.
import { z } from 'zod';
import type { RequestHeaders } from './request-headers.ts';

const seq = z.coerce.number().int().min(0);

/** The last id in a stream whose ids count up. */
export function lastSeq(headers: RequestHeaders): number | undefined {
  return lastEventId(headers, seq);
}

/** The last id in a stream that reads its ids itself. */
export function lastId(headers: RequestHeaders): string | undefined {
  return lastEventId(headers, z.string());
}

function lastEventId<Id>(headers: RequestHeaders, schema: z.ZodType<Id>): Id | undefined {
  return schema.safeParse(headers.get('last-event-id') ?? undefined).data;
}
