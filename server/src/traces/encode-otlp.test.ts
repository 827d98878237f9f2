import { expect, test } from 'vitest';
import { encodeOtlp, type Sent } from './encode-otlp.ts';

/** As opentelemetry-proto 1.45.2 for Python encodes the request below. */
const golden = [
  'CpUEChoKGAoMc2VydmljZS5uYW1lEggKBmdhbnRyeRL2AwoPCgZnYW50cnkSBTEuMi4zEqQDChAK92UZFs1D3YRI6yEcgDGcEgi3rWtxaSAzMS',
  'IIx61rcWkgMzEqEWNoYXQg4oCUIGdyw7bDn2VyMAM5AMpOK4Rb1xhBAJTpZoRb1xhK1AEKBHRleHQSywEKyAF4eHh4eHh4eHh4eHh4eHh4eHh4',
  'eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eH',
  'h4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4',
  'eHh4eHh4eHh4eHh4eHh4eEoLCgVjb3VudBICGAxKFwoIbmVnYXRpdmUSCxj9//////////8BShIKBWxhcmdlEgkY/////////w9KEgoFc2hhcm',
  'USCSEAAAAAAADQP0oJCgN5ZXMSAhABSggKAm5vEgIQAEoXCgRsaXN0Eg8qDQoDCgFhCgIYAQoCEAF6AhgCEjwKEAr3ZRkWzUPdhEjrIRyAMZwS',
  'CNeta3FpIDMxKgZpbnZva2UwAjnoAwAAAAAAAEHQBwAAAAAAAHoCGAE=',
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
  attributes: {},
};

test('the bytes are those of OpenTelemetry’s own library', () => {
  const encoded = encodeOtlp([call, small], {
    resource: { 'service.name': 'gantry' },
    scope: { name: 'gantry', version: '1.2.3' },
  });
  expect(encoded.toString('base64')).toBe(golden);
});
