// The one model of a span. The service's own spans and those of every instrumentation have this form.
import type { SpanKind, SpanSource, SpanStatus } from '@gantry/contract/models/traces.ts';

/** The owner of a span. The service knows these facts; no text of a span decides them. */
export interface SpanOwner {
  /** The asset's id; null for a call to a model without an agent. */
  agent_id: string | null;
  revision_id: string | null;
  run_id: string | null;
  /** The team's id. */
  team_id: string | null;
  /** The end caller: a user or a service principal. */
  caller_id: string | null;
}

export interface Span extends SpanOwner {
  /** 32 hexadecimal digits. */
  trace_id: string;
  /** 16 hexadecimal digits. */
  span_id: string;
  parent_id: string | null;
  name: string;
  kind: SpanKind;
  source: SpanSource;
  /** Microseconds since 1970. */
  started_us: number;
  ended_us: number;
  status: SpanStatus;
  model: string | null;
  provider: string | null;
  input_tokens: number | null;
  output_tokens: number | null;
  cost_nano_usd: number | null;
  /** Content: JSON as text, or plain text. Null when it is hidden or missing. */
  input: string | null;
  /** Content, as `input`. A failed span has the message of its error here, because it can repeat content. */
  output: string | null;
  /** A code, or the type of an exception. */
  error: string | null;
  /** Facts without content. */
  attributes: Readonly<Record<string, SpanAttribute>>;
}

/** Of a span that is no call of a model. */
export const no_model = { model: null, provider: null, input_tokens: null, output_tokens: null, cost_nano_usd: null };

type SpanAttribute = string | number | boolean | readonly (string | number | boolean)[];
