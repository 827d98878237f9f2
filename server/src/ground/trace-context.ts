// The trace of a request, as W3C Trace Context 1 and 2 have it. A caller may choose the trace, so nothing decides by it.
import { randomFillSync } from 'node:crypto';

export interface TraceContext {
  /** 32 hexadecimal digits. */
  trace_id: string;
  /** The caller's span; null for a started trace. */
  parent_id: string | null;
  flags: number;
  /** The caller's `tracestate`, in a continued trace. */
  tracestate: string | null;
}

const form = /^00-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})$/;
const sampled = 1;
const random = 2;

/** Continues the trace of a valid `traceparent`, and starts one without it. */
export function traceContext(headers: Pick<Headers, 'get'>): TraceContext {
  const [, trace_id = '', parent_id = '', flags = ''] = form.exec(headers.get('traceparent') ?? '') ?? [];
  if (isZero(trace_id) || isZero(parent_id))
    return { trace_id: randomHex(16), parent_id: null, flags: sampled | random, tracestate: null };
  // A caller's flag must not hide a call: the service chooses after the end of a trace which ones it keeps.
  const passed = (parseInt(flags, 16) & random) | sampled;
  return { trace_id, parent_id, flags: passed, tracestate: headers.get('tracestate') };
}

/** 16 hexadecimal digits. */
export function newSpanId(): string {
  return randomHex(8);
}

/** The header for what this span calls. */
export function traceparentOf({ trace_id, flags }: Pick<TraceContext, 'trace_id' | 'flags'>, span_id: string): string {
  return `00-${trace_id}-${span_id}-0${flags}`;
}

/** Also for no text. The standard forbids an id of zeros. */
function isZero(id: string): boolean {
  return /^0*$/.test(id);
}

const pool = Buffer.alloc(4096);
let used = pool.length;

// Ids, not secrets. Fetching bytes one id at a time costs a hundred times as much.
function randomHex(bytes: number): string {
  if (used + bytes > pool.length) {
    randomFillSync(pool);
    used = 0;
  }
  return pool.toString('hex', used, (used += bytes));
}
