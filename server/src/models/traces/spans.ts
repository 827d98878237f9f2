// Stores spans behind a bounded queue. Promises: `add` costs its caller no wait; a slow or full database delays no request; each span that
// is not stored is counted with its reason; traces leave the rest of the disk to the audit log.
import { apart } from '../../ground/database/apart.ts';
import { disk_full, errorCode, type Database, type PoolSettings } from '../../ground/database/database.ts';
import { storableText } from '../../ground/database/storable-text.ts';
import type { Span } from './span.ts';
import * as feedback from './feedback-store.ts';
import * as store from './store.ts';

/** What each span goes to. */
export interface SpanSink {
  add(spans: readonly Span[]): void;
  /** After it, every added span is stored or counted. */
  flush(): Promise<void>;
  close(): Promise<void>;
}

export interface Spans extends SpanSink {
  /** Counts spans that nothing can store. */
  lose(reason: LossReason, spans: number): void;
}

export interface StoredSpans extends Spans {
  /** By reason, since the start of the process. */
  lost(): Readonly<Record<string, number>>;
}

/** `not_sent`: by an agent, for lack of room or of an answer. `no_run`: of no run of the sender. `too_many`: over the rate of an agent. */
export type LossReason =
  | 'queue_full'
  | 'storage_full'
  | 'not_of_today'
  | 'refused'
  | 'malformed'
  | 'not_sent'
  | 'no_run'
  | 'too_many';

const max_queued = 10_000;
const max_queued_bytes = 64 * 1024 * 1024;
/** The limit of one statement. More would hold the event loop for milliseconds. */
const max_batch = 200;
const max_batch_bytes = 512 * 1024;
const store_every_ms = 1000;
const keep_every_ms = 30_000;
/** The limit of an input or an output. */
const max_content_chars = 32_768;
const max_name_chars = 300;
const day_us = 86_400e6;

/** Spans never wait for other statements, and others never for them. */
export const spans_pool: PoolSettings = { max: 1, answer_ms: 20_000 };

export interface SpansParts {
  /** The connections of `spans_pool`. */
  db: Database;
  keep_days: number;
  max_bytes: number;
  sampling: store.Sampling;
  /** The free space of the disk with the database; undefined for a database elsewhere. */
  freeBytes: (() => Promise<number>) | undefined;
  onError: (error: unknown) => void;
}

/** With less free space no span is stored. The audit log then still has this much. */
const least_free_bytes = 1024 ** 3;

export function openSpans({ db, keep_days, max_bytes, sampling, freeBytes, onError }: SpansParts): StoredSpans {
  let queue: Span[] = [];
  let queued_bytes = 0;
  let isFull = false;
  let hasPartitions = false;
  let running: Promise<void> | undefined;
  const losses = new Map<LossReason, number>();
  const all_losses = new Map<LossReason, number>();
  const lose = (reason: LossReason, spans: number) => {
    for (const counts of [losses, all_losses]) counts.set(reason, (counts.get(reason) ?? 0) + spans);
  };

  async function keepWithinBounds(): Promise<void> {
    const bytes = await store.keepPartitions(db, { keep_days, max_bytes });
    hasPartitions = true;
    await feedback.forgetOld(db, keep_days);
    if (sampling.share < 1) await store.thin(db, sampling);
    isFull = bytes > max_bytes || (freeBytes !== undefined && (await freeBytes()) < least_free_bytes);
  }

  async function run(): Promise<void> {
    try {
      if (!hasPartitions && queue.length > 0) await keepWithinBounds();
      while (queue.length > 0) {
        const batch = takeBatch(queue);
        queued_bytes -= sumOf(batch);
        await storeBatch(batch);
      }
      if (losses.size > 0) await storeLosses();
    } catch (error) {
      onError(error);
    }
  }

  async function storeBatch(batch: Span[]): Promise<void> {
    if (isFull) return lose('storage_full', batch.length);
    const { refused, left, away } = await apart(batch, async (some) => await store.insert(db, some.map(storable)));
    if (refused.length > 0) {
      lose('refused', refused.length);
      // One line for all of them: an agent chooses their number.
      onError(new Error(`the database refuses ${refused.length} spans`, { cause: refused[0]?.cause }));
    }
    if (left.length === 0) return;
    if (errorCode(away) === disk_full) {
      isFull = true;
      return lose('storage_full', left.length);
    }
    // The next turn tries again. The queue has a bound, so it drops what arrives meanwhile.
    queue = [...left, ...queue];
    queued_bytes += sumOf(left);
    throw away;
  }

  async function storeLosses(): Promise<void> {
    const counted = [...losses].map(([reason, spans]) => ({ reason, spans }));
    await store.addLosses(db, counted);
    for (const { reason, spans } of counted) {
      const rest = (losses.get(reason) ?? 0) - spans;
      if (rest === 0) losses.delete(reason);
      else losses.set(reason, rest);
    }
  }

  const flush = async () => {
    await running;
    running ??= run().finally(() => (running = undefined));
    await running;
  };
  const storing = setInterval(() => void flush(), store_every_ms);
  const keeping = setInterval(() => void keepWithinBounds().catch(onError), keep_every_ms);

  return {
    add: (spans) => {
      for (const span of spans) {
        const bytes = sizeOf(span);
        if (!isOfToday(span)) lose('not_of_today', 1);
        else if (queue.length >= max_queued || queued_bytes + bytes > max_queued_bytes) lose('queue_full', 1);
        else {
          queue.push(span);
          queued_bytes += bytes;
        }
      }
    },
    lose,
    flush,
    lost: () => Object.fromEntries(all_losses),
    close: async () => {
      clearInterval(storing);
      clearInterval(keeping);
      await flush();
    },
  };
}

function takeBatch(queue: Span[]): Span[] {
  let bytes = 0;
  const end = queue.findIndex((span, index) => index === max_batch || (bytes += sizeOf(span)) > max_batch_bytes);
  return queue.splice(0, end < 0 ? queue.length : Math.max(end, 1));
}

function sumOf(spans: readonly Span[]): number {
  return spans.reduce((sum, span) => sum + sizeOf(span), 0);
}

const row_bytes = 400;

function sizeOf({ name, model, provider, input, output, error, attributes }: Span): number {
  const texts = [name, model, provider, input, output, error, ...Object.entries(attributes).flat()];
  return texts.reduce<number>((sum, text) => sum + (text === null ? 0 : String(text).length), row_bytes);
}

// Partitions exist for the days around today.
function isOfToday({ started_us, ended_us }: Span): boolean {
  const now_us = Date.now() * 1000;
  return started_us > now_us - day_us && ended_us < now_us + day_us && ended_us >= started_us;
}

function storable(span: Span): Span {
  return {
    ...span,
    name: clipped(span.name, max_name_chars),
    model: span.model && clipped(span.model, max_name_chars),
    provider: span.provider && clipped(span.provider, max_name_chars),
    input: span.input && clipped(span.input, max_content_chars),
    output: span.output && clipped(span.output, max_content_chars),
    error: span.error && clipped(span.error, max_name_chars),
    attributes: Object.fromEntries(
      Object.entries(span.attributes).map(([key, value]) => [
        storableText(key),
        Array.isArray(value) ? value.map(storableValue) : storableValue(value),
      ]),
    ),
  };
}

function storableValue<Value>(value: Value): Value | string {
  return typeof value === 'string' ? clipped(value, max_name_chars) : value;
}

function clipped(text: string, max_chars: number): string {
  return storableText(text.length > max_chars ? `${text.slice(0, max_chars)}…` : text);
}
