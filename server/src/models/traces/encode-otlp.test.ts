import { expect, test } from 'vitest';
import { encodeOtlp, type Sent } from './encode-otlp.ts';

/** As opentelemetry-proto 1.45.2 for Python encodes the request below. */
const golden = [
  'CvoEChsKGQoMc2VydmljZS5uYW1lEgkKB2dyZWV0ZXISqgQKDwoGZ2FudHJ5EgUxLjIuMxLmAwoQCvdlGRbNQ92ESOshHIAxnBIIt61rcWkgMzEiCM',
  'eta3FpIDMxKhFjaGF0IOKAlCBncsO2w59lcjADOQDKTiuEW9cYQQCU6WaEW9cYStQBCgR0ZXh0EssBCsgBeHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4',
  'eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eH',
  'h4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4',
  'eHh4eHhKCwoFY291bnQSAhgMShcKCG5lZ2F0aXZlEgsY/f//////////AUoSCgVsYXJnZRIJGP////////8PShIKBXNoYXJlEgkhAAAAAAAA0D9KCQ',
  'oDeWVzEgIQAUoICgJubxICEABKFwoEbGlzdBIPKg0KAwoBYQoCGAEKAhABWjQJAJTpZoRb1xgSCWV4Y2VwdGlvbhoeCg5leGNlcHRpb24udHlwZRIM',
  'CgpWYWx1ZUVycm9yeg4SClZhbHVlRXJyb3IYAhouaHR0cHM6Ly9vcGVudGVsZW1ldHJ5LmlvL3NjaGVtYXMvZ2VuLWFpLzEuNDIuMBouaHR0cHM6Ly',
  '9vcGVudGVsZW1ldHJ5LmlvL3NjaGVtYXMvZ2VuLWFpLzEuNDIuMArNAQoaChgKDHNlcnZpY2UubmFtZRIICgZnYW50cnkSfwoPCgZnYW50cnkSBTEu',
  'Mi4zEjwKEAr3ZRkWzUPdhEjrIRyAMZwSCNeta3FpIDMxKgZpbnZva2UwAjnoAwAAAAAAAEHQBwAAAAAAAHoCGAEaLmh0dHBzOi8vb3BlbnRlbGVtZX',
  'RyeS5pby9zY2hlbWFzL2dlbi1haS8xLjQyLjAaLmh0dHBzOi8vb3BlbnRlbGVtZXRyeS5pby9zY2hlbWFzL2dlbi1haS8xLjQyLjA=',
].join('');

const trace_id = '0af7651916cd43dd8448eb211c80319c';
const call: Sent = {
  trace_id,
  span_id: 'b7ad6b7169203331',
  parent_id: 'c7ad6b7169203331',
  name: 'chat — größer',
  kind: 'client',
  started_us: 1_790_000_000_123_456,
  ended_us: 1_790_000_001_123_456,
  status: 'error',
  error: 'ValueError',
  events: [{ name: 'exception', at_us: 1_790_000_001_123_456, attributes: { 'exception.type': 'ValueError' } }],
  attributes: {
    text: 'x'.repeat(200),
    count: 12,
    negative: -3,
    large: Number.MAX_SAFE_INTEGER,
    share: 0.25,
    yes: true,
    no: false,
    list: ['a', 1, true],
  },
};
const small: Sent = {
  trace_id,
  span_id: 'd7ad6b7169203331',
  parent_id: null,
  name: 'invoke',
  kind: 'server',
  started_us: 1,
  ended_us: 2,
  status: 'ok',
  error: null,
  events: [],
  attributes: {},
};

test('the bytes are those of OpenTelemetry’s own library', () => {
  const encoded = encodeOtlp(
    [
      { resource: { 'service.name': 'greeter' }, spans: [call] },
      { resource: { 'service.name': 'gantry' }, spans: [small] },
    ],
    { name: 'gantry', version: '1.2.3', schema_url: 'https://opentelemetry.io/schemas/gen-ai/1.42.0' },
  );
  expect(encoded.toString('base64')).toBe(golden);
});
