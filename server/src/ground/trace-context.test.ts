import { expect, test } from 'vitest';
import { traceContext, traceparentOf } from './trace-context.ts';

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
    parent_id,
    flags: Number(passed),
    tracestate: 'vendor=1',
  });
  expect(traceparentOf(given(`00-${trace_id}-${parent_id}-${flags}`), 'b'.repeat(16))).toBe(
    `00-${trace_id}-${'b'.repeat(16)}-${passed}`,
  );
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
    parent_id: null,
    flags: 3,
    tracestate: null,
  });
  expect(begun.trace_id).not.toBe(trace_id);
  expect(given(traceparent).trace_id).not.toBe(begun.trace_id);
});
