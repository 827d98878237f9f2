import { newSpanId } from '../../ground/trace-context.ts';
import type { Span } from './span.ts';

export interface StartedSpan {
  /** 16 hexadecimal digits. */
  span_id: string;
  /** From the start to this moment. */
  times(): Pick<Span, 'started_us' | 'ended_us'>;
}

export function startSpan(): StartedSpan {
  const started_us = Date.now() * 1000;
  // The wall clock has milliseconds, and can be set while the span lasts.
  const started_ms = performance.now();
  return {
    span_id: newSpanId(),
    times: () => ({ started_us, ended_us: started_us + Math.round((performance.now() - started_ms) * 1000) }),
  };
}
