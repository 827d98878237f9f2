// Sends spans to a collector of the operator's own, over OTLP/HTTP. A collector that is away costs the service nothing: the queue has a bound,
// failed batches are sent again, and what does not fit is dropped and counted.
import { setTimeout as sleep } from 'node:timers/promises';
import { request } from 'undici';
import type { SpanKind, SpanSource } from '@gantry/contract/traces.ts';
import { encodeOtlp, type Attributes, type Sent } from './encode-otlp.ts';
import type { Span } from './span.ts';
import type { SpanSink } from './spans.ts';

export interface ExportSettings {
  /** With its path. */
  url: string;
  headers: Readonly<Record<string, string>>;
  /** Whether input and output are sent. */
  has_content: boolean;
}

export interface Export extends SpanSink {
  /** Spans that were not sent, since the start of the process. */
  dropped(): number;
}

const max_queued = 10_000;
const max_batch = 500;
const send_every_ms = 2000;
const answer_ms = 10_000;
const first_pause_ms = 500;
const max_pause_ms = 30_000;
/** A stopping service waits this long for its last batches. */
const close_ms = 5000;
/** "Retryable Response Codes" of the OTLP specification. */
const retried = [429, 502, 503, 504];
/** The batch is malformed or too large. */
const of_content = [400, 413];
/** Of one batch. One refused span among 500 needs nine. */
const max_splits = 20;

interface Refused {
  isRetried: boolean;
  /** A part of the batch may be taken. */
  isOfContent: boolean;
  why: string;
  retry_after_ms?: number;
}

export function openExport(
  { url, headers, has_content }: ExportSettings,
  { version, onError }: { version: string; onError: (error: unknown) => void },
): Export {
  const closing = new AbortController();
  let queue: Span[] = [];
  let dropped = 0;
  let sending: Promise<void> | undefined;

  async function send(): Promise<void> {
    while (queue.length > 0) {
      const batch = queue.slice(0, max_batch);
      await deliver(batch, { splits_left: max_splits });
      queue = queue.slice(batch.length);
    }
  }

  /** One span that cannot be sent never fails the others: a refused batch is sent again in halves. */
  async function deliver(batch: readonly Span[], bound: { splits_left: number }): Promise<void> {
    const outcome = await sendUntilAnswered(batch);
    if (outcome === 'taken') return;
    if (outcome.isOfContent && batch.length > 1 && bound.splits_left > 0) {
      bound.splits_left--;
      const half = Math.ceil(batch.length / 2);
      await deliver(batch.slice(0, half), bound);
      return await deliver(batch.slice(half), bound);
    }
    onError(new Error(outcome.why));
    dropped += batch.length;
  }

  /** Tries until the collector has answered, or until the service stops. */
  async function sendUntilAnswered(batch: readonly Span[]): Promise<'taken' | Refused> {
    const body = encoded(batch);
    if (!Buffer.isBuffer(body)) return body;
    for (let pause_ms = first_pause_ms; ; pause_ms = Math.min(pause_ms * 2, max_pause_ms)) {
      const outcome = await attempt(body);
      if (outcome === 'taken' || !outcome.isRetried || closing.signal.aborted) return outcome;
      // Once per batch, not per attempt.
      if (pause_ms === first_pause_ms) onError(new Error(outcome.why));
      const wait_ms = outcome.retry_after_ms ?? pause_ms * (0.5 + Math.random());
      await sleep(wait_ms, undefined, { signal: closing.signal }).catch(() => {}); // the stop ended the sleep
    }
  }

  function encoded(batch: readonly Span[]): Buffer | Refused {
    try {
      return encodeOtlp(
        batch.map((span) => sentOf(span, has_content)),
        { resource: { 'service.name': 'gantry', 'service.version': version }, scope: { name: 'gantry', version } },
      );
    } catch (error) {
      return {
        isRetried: false,
        isOfContent: true,
        why: `spans cannot be encoded for the trace collector: ${String(error)}`,
      };
    }
  }

  async function attempt(body: Buffer): Promise<'taken' | Refused> {
    try {
      const answer = await request(url, {
        method: 'POST',
        headers: { ...headers, 'content-type': 'application/x-protobuf' },
        body,
        headersTimeout: answer_ms,
        bodyTimeout: answer_ms,
        signal: AbortSignal.timeout(answer_ms),
      });
      await answer.body.dump();
      const { statusCode: status } = answer;
      if (status < 300) return 'taken';
      const seconds = Number(answer.headers['retry-after']);
      return {
        isRetried: retried.includes(status),
        isOfContent: of_content.includes(status),
        why: `the trace collector answered ${status}`,
        ...(seconds > 0 && { retry_after_ms: Math.min(seconds * 1000, max_pause_ms) }),
      };
    } catch (error) {
      const why = error instanceof Error ? error.message : String(error);
      return { isRetried: true, isOfContent: false, why: `the trace collector does not answer: ${why}` };
    }
  }

  const start = () => (sending ??= send().finally(() => (sending = undefined)));
  const timer = setInterval(() => void start(), send_every_ms);

  return {
    add: (spans) => {
      const room = Math.max(max_queued - queue.length, 0);
      queue.push(...spans.slice(0, room));
      dropped += Math.max(spans.length - room, 0);
    },
    flush: async () => {
      await start();
    },
    close: async () => {
      clearInterval(timer);
      const stop = setTimeout(() => closing.abort(), close_ms);
      await start();
      clearTimeout(stop);
    },
    dropped: () => dropped,
  };
}

const kindOfSource: Readonly<Record<SpanSource, Sent['kind']>> = {
  ingress: 'server',
  gateway: 'client',
  deploy: 'internal',
  agent: 'internal',
};

/** The names of OpenTelemetry's conventions for generative AI. */
const operations: Readonly<Partial<Record<SpanKind, string>>> = {
  llm: 'chat',
  embedding: 'embeddings',
  tool: 'execute_tool',
  agent: 'invoke_agent',
};

function sentOf(span: Span, has_content: boolean): Sent {
  const { trace_id, span_id, parent_id, name, started_us, ended_us, status, source } = span;
  const attributes = { ...span.attributes, ...attributesOf(span, has_content) };
  return { trace_id, span_id, parent_id, name, started_us, ended_us, status, kind: kindOfSource[source], attributes };
}

function attributesOf(span: Span, has_content: boolean): Attributes {
  const { kind, cost_nano_usd } = span;
  const given = {
    'svc.source': span.source,
    'svc.agent.id': span.agent_id,
    'svc.revision.id': span.revision_id,
    'svc.run.id': span.run_id,
    'svc.team.id': span.team_id,
    'svc.caller.id': span.caller_id,
    'svc.cost_usd': cost_nano_usd === null ? null : cost_nano_usd / 1e9,
    'error.type': span.error,
    'gen_ai.operation.name': operations[kind] ?? null,
    'gen_ai.provider.name': span.provider,
    'gen_ai.response.model': span.model,
    'gen_ai.usage.input_tokens': span.input_tokens,
    'gen_ai.usage.output_tokens': span.output_tokens,
    // Of OpenInference, which Phoenix draws.
    'openinference.span.kind': kind === 'http' || kind === 'step' ? 'CHAIN' : kind.toUpperCase(),
    'input.value': has_content ? span.input : null,
    'output.value': has_content ? span.output : null,
  };
  return Object.fromEntries(
    Object.entries(given).filter((entry): entry is [string, string | number] => entry[1] !== null),
  );
}
