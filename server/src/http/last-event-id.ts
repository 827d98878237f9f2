// Where the reader of a stream that broke goes on: after the event with this id. Undefined when it begins, and for an id that is none of
// the stream's.
import { z } from 'zod';

const seq = z.coerce.number().int().min(0);
const instant = z.iso.datetime();

/** Of a stream whose ids count up. */
export function lastSeq(request: Request): number | undefined {
  return lastEventId(request, seq);
}

/** Of a stream whose ids are instants. */
export function lastInstant(request: Request): string | undefined {
  return lastEventId(request, instant);
}

function lastEventId<Id>(request: Request, schema: z.ZodType<Id>): Id | undefined {
  return schema.safeParse(request.headers.get('last-event-id') ?? undefined).data;
}
