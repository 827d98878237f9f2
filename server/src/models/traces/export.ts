// Sends spans to a collector of the operator's own, over OTLP/HTTP. A collector that is away costs the service nothing: the queue has a bound,
// failed batches are sent again, and what does not fit is dropped and counted.
import { setTimeout as sleep } from 'node:timers/promises';
import { request } from 'undici';
import { LRUCache } from 'lru-cache';
import { encodeOtlp } from './encode-otlp.ts';
import { resourceOf, schema_url, sentOf, type AgentLabels } from './sent-span.ts';
import type { Span } from './span.ts';
import type { SpanSink } from './spans.ts';

export interface ExportSettings {
  /** With its path. */
  url: string;
  headers: Readonly<Record<string, string>>;
  /** Whether input and output are sent. */
  has_content: boolean;
}

/** Finds the labels for spans with an agent; in the order of the ids, undefined for an asset that is deleted. */
export type FindLabels = (ids: readonly LabelledIds[]) => Promise<(AgentLabels | undefined)[]>;
type LabelledIds = Pick<Span, 'agent_id' | 'revision_id'>;

interface ExportParts {
  version: string;
  findLabels: FindLabels;
  onError: (error: unknown) => void;
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
/** An agent can move to another team. */
const labels_ms = 600_000;
const max_labels = 10_000;
/** The limit for one batch. One refused span among 500 needs nine. */
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
  { version, findLabels, onError }: ExportParts,
): Export {
  const closing = new AbortController();
  const labels = new LRUCache<string, AgentLabels>({ max: max_labels, ttl: labels_ms });
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
    for (let pause_ms = first_pause_ms; ; pause_ms = Math.min(pause_ms * 2, max_pause_ms)) {
      const outcome = await attempt(batch);
      if (outcome === 'taken' || !outcome.isRetried || closing.signal.aborted) return outcome;
      // Once per batch, not per attempt.
      if (pause_ms === first_pause_ms) onError(new Error(outcome.why));
      const wait_ms = outcome.retry_after_ms ?? pause_ms * (0.5 + Math.random());
      await sleep(wait_ms, undefined, { signal: closing.signal }).catch(() => {}); // the stop ended the sleep
    }
  }

  async function learn(batch: readonly Span[]): Promise<void> {
    const unknown = new Map<string, LabelledIds>();
    for (const span of batch) if (span.agent_id !== null && !labels.has(idOf(span))) unknown.set(idOf(span), span);
    if (unknown.size === 0) return;
    const found = await findLabels([...unknown.values()]);
    for (const [n, id] of [...unknown.keys()].entries()) labels.set(id, found[n]);
  }

  function encoded(batch: readonly Span[]): Buffer {
    const groups = [...Map.groupBy(batch, idOf).values()].flatMap(([first, ...others]) =>
      first === undefined ? [] : [{ label: labels.get(idOf(first)), spans: [first, ...others], first }],
    );
    return encodeOtlp(
      groups.map(({ label, spans, first }) => ({
        resource: resourceOf(first, label, version),
        spans: spans.map((span) => sentOf(span, { has_content, labels: label })),
      })),
      { name: 'gantry', version, schema_url },
    );
  }

  async function attempt(batch: readonly Span[]): Promise<'taken' | Refused> {
    try {
      await learn(batch);
    } catch (error) {
      const why = `the names of the agents of spans are not known: ${String(error)}`;
      return { isRetried: true, isOfContent: false, why };
    }
    try {
      return await post(encoded(batch));
    } catch (error) {
      const why = `spans cannot be encoded for the trace collector: ${String(error)}`;
      return { isRetried: false, isOfContent: true, why };
    }
  }

  async function post(body: Buffer): Promise<'taken' | Refused> {
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

const idOf = ({ agent_id, revision_id }: LabelledIds) => `${agent_id} ${revision_id}`;
