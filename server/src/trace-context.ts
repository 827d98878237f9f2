// The trace of a request, as W3C Trace Context 1 and 2 have it. A caller may choose the trace, so nothing decides by it.
import { randomBytes } from 'node:crypto';

export interface TraceContext {
  /** 32 hexadecimal digits. */
  trace_id: string;
  /** The header for what the request calls. */
  traceparent: string;
  /** Of a continued trace. */
  tracestate: string | null;
}

const form = /^00-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})$/;
const sampled = 1;
const random = 2;

/** Continues the trace of a valid `traceparent`, and starts one without it. */
export function traceContext(headers: Pick<Headers, 'get'>): TraceContext {
  const [, trace_id = '', parent_id = '', flags = ''] = form.exec(headers.get('traceparent') ?? '') ?? [];
  if (isZero(trace_id) || isZero(parent_id))
    return contextOf(randomBytes(16).toString('hex'), randomBytes(8).toString('hex'), random, null);
  return contextOf(trace_id, parent_id, parseInt(flags, 16) & random, headers.get('tracestate'));
}

// A caller's flag must not hide a call: the service chooses after the end of a trace which ones it keeps.
function contextOf(trace_id: string, parent_id: string, flags: number, tracestate: string | null): TraceContext {
  return { trace_id, traceparent: `00-${trace_id}-${parent_id}-0${flags | sampled}`, tracestate };
}

/** Also for no text. The standard forbids an id of zeros. */
function isZero(id: string): boolean {
  return /^0*$/.test(id);
}
