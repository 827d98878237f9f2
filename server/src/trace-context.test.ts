import { expect, test } from 'vitest';
import { traceContext } from './trace-context.ts';

const trace_id = '0af7651916cd43dd8448eb211c80319c';
const parent_id = 'b7ad6b7169203331';
const given = (traceparent: string, tracestate = 'vendor=1') =>
  traceContext(new Headers({ traceparent, ...(tracestate !== '' && { tracestate }) }));

test.each([
  ['01', '01'],
  ['00', '01'],
  ['02', '03'],
  ['ff', '03'],
])('a valid trace goes on; with the flags %s it has %s, so no caller hides a call', (flags, passed) => {
  expect(given(`00-${trace_id}-${parent_id}-${flags}`)).toEqual({
    trace_id,
    traceparent: `00-${trace_id}-${parent_id}-${passed}`,
    tracestate: 'vendor=1',
  });
});

test.each([
  ['another version', `01-${trace_id}-${parent_id}-01`],
  ['upper case', `00-${trace_id.toUpperCase()}-${parent_id}-01`],
  ['a trace of zeros', `00-${'0'.repeat(32)}-${parent_id}-01`],
  ['a parent of zeros', `00-${trace_id}-${'0'.repeat(16)}-01`],
  ['a short trace', `00-${trace_id.slice(1)}-${parent_id}-01`],
  ['more parts', `00-${trace_id}-${parent_id}-01-00`],
  ['two headers', `00-${trace_id}-${parent_id}-01, 00-${trace_id}-${parent_id}-01`],
  ['nothing', ''],
])('%s is dropped, and a new trace begins', (_, traceparent) => {
  const begun = given(traceparent);
  expect(begun).toEqual({
    trace_id: expect.stringMatching(/^[0-9a-f]{32}$/) as string,
    traceparent: expect.stringMatching(`^00-${begun.trace_id}-[0-9a-f]{16}-03$`) as string,
    tracestate: null,
  });
  expect(begun.trace_id).not.toBe(trace_id);
  expect(given(traceparent).trace_id).not.toBe(begun.trace_id);
});
