import type { Span, SpanOwner } from './span.ts';

/** An `ExportTraceServiceRequest` of OTLP, as its JSON form has it. */
export interface OtlpRequest {
  resourceSpans?: readonly unknown[];
}

/** The spans of a request in the one model. `owner` comes from the sender's credential, not from the request. */
export function spansOf(_request: OtlpRequest, _owner: SpanOwner): Span[] {
  return [];
}
