// `Idempotency-Key`: a client can repeat a creation with the same key, and it is done once.
import type { Endpoint } from './endpoint.ts';

export const idempotencyKeyPattern = /^[\x21-\x7e]{1,255}$/;
export const idempotency_key_hours = 24;

/** POST endpoints that create something from JSON. A pushed archive already has its digest; clients of OAuth know no such header; elsewhere the header has no meaning. */
export function takesIdempotencyKey({ surface, method, body, reply }: Endpoint): boolean {
  return (
    surface !== 'oauth' &&
    method === 'POST' &&
    typeof body === 'object' &&
    (reply.status === 201 || reply.status === 202)
  );
}

/** The reply's members that are shown once (`shownOnce` in wire.ts): they are not stored, so a repeated answer lacks them. */
export function secretMembers({ reply }: Endpoint): string[] {
  if (!('schema' in reply) || !('shape' in reply.schema)) return [];
  const shape = reply.schema.shape as Record<string, { meta(): Record<string, unknown> | undefined }>; // an object schema's members are schemas
  return Object.keys(shape).filter((member) => shape[member]?.meta()?.['x-secret'] === true);
}
