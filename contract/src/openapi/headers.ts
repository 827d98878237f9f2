// The headers of requests and answers that are in no endpoint's schema.
import type { Endpoint } from '../endpoint.ts';
import { idempotency_key_hours, idempotencyKeyPattern, takesIdempotencyKey } from '../idempotency.ts';
import { problems, type ProblemCode } from '../problems.ts';
import { operations } from '../roles.ts';
import { name } from '../wire.ts';
import { inPlace, type Json } from './schemas.ts';

export const headerParameters = {
  ActiveTeam: {
    name: 'X-Service-Team',
    in: 'header',
    required: false,
    description: 'The team to act in, one of your own; your primary team when absent.',
    schema: inPlace(name),
  },
  IdempotencyKey: {
    name: 'Idempotency-Key',
    in: 'header',
    required: false,
    description: `A repeat with the same key within ${idempotency_key_hours} hours changes nothing. It gets the first answer, with the header Idempotency-Replayed. Fields that are shown once are absent.`,
    schema: { type: 'string', pattern: idempotencyKeyPattern.source },
  },
  RunKey: {
    name: 'Idempotency-Key',
    in: 'header',
    required: false,
    description:
      'A repeat with the same key within seven days begins nothing: it gets the same run and its answer. It counts for the caller and this asset alone. A key that is a UUID works as the id of the run.',
    schema: { type: 'string', pattern: idempotencyKeyPattern.source },
  },
  LastEventId: {
    name: 'Last-Event-ID',
    in: 'header',
    required: false,
    description: 'The id of the last event that was read: the stream continues after it.',
    schema: { type: 'string' },
  },
} as const satisfies Record<string, Json>;

export const headers = {
  RequestId: {
    description: 'The id of the request in the log of the service',
    schema: { type: 'string', format: 'uuid' },
  },
  TraceId: {
    description: 'The trace of the request: that of a valid `traceparent` (W3C Trace Context), else a new one',
    schema: { type: 'string', pattern: '^[0-9a-f]{32}$' },
  },
  AuditEntry: {
    description: 'The audit entries that the request made, as `chain/seq`, with commas between them',
    schema: { type: 'string' },
  },
  IdempotencyReplayed: {
    description: '`true` when this repeats the first answer to the same Idempotency-Key',
    schema: { type: 'string', enum: ['true'] },
  },
  RetryAfter: { description: 'Try again after this many seconds', schema: { type: 'integer', minimum: 0 } },
  Challenge: { description: 'How to sign in (RFC 6750)', schema: { type: 'string' } },
} as const satisfies Record<string, Json>;

export function headerParametersOf(endpoint: Endpoint): Json[] {
  return [
    ...(operations[endpoint.operation].on === 'anyone' ? [] : [parameter('ActiveTeam')]),
    ...(takesIdempotencyKey(endpoint) ? [parameter('IdempotencyKey')] : []),
    ...(endpoint.names_run === true ? [parameter('RunKey')] : []),
    ...(endpoint.reply.kind === 'events' ? [parameter('LastEventId')] : []),
  ];
}

export function successHeaders(endpoint: Endpoint): Json {
  return {
    'X-Request-Id': header('RequestId'),
    'X-Trace-Id': header('TraceId'),
    ...(endpoint.method === 'GET' ? {} : { 'X-Audit-Entry': header('AuditEntry') }),
    ...(takesIdempotencyKey(endpoint) ? { 'Idempotency-Replayed': header('IdempotencyReplayed') } : {}),
  };
}

export function refusalHeaders(codes: readonly ProblemCode[]): Json {
  return {
    'X-Request-Id': header('RequestId'),
    'X-Trace-Id': header('TraceId'),
    ...(codes.some((code) => problems[code].status === 401) ? { 'WWW-Authenticate': header('Challenge') } : {}),
    ...(codes.some((code) => saysWhen.includes(code)) ? { 'Retry-After': header('RetryAfter') } : {}),
  };
}

const saysWhen: readonly ProblemCode[] = [
  'rate_limited',
  'too_many_requests',
  'idempotency_conflict',
  'agent_unavailable',
];

const parameter = (key: keyof typeof headerParameters): Json => ({ $ref: `#/components/parameters/${key}` });
const header = (key: keyof typeof headers): Json => ({ $ref: `#/components/headers/${key}` });
