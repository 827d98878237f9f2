// The exact search by meaning, in a thread of its own, so that nobody else waits for it. The vectors of an index never change. They are loaded with its
// first search and kept while it is searched. Must never happen: a search that ends without an answer or an error, or memory that grows with the number
// of indexes.
import { Worker } from 'node:worker_threads';
import { LRUCache } from 'lru-cache';
import pLimit from 'p-limit';
import { nextMessage } from '../../../ground/next-message.ts';
import { places } from '../../../ground/places-of-files.ts';
import { fairQueue } from './fair-queue.ts';
import type { NearestRows, Question } from './nearest-rows.ts';
import { maskOf, vectorIndex, type StoredVectors, type VectorIndex } from './vector-index.ts';

export interface VectorSearch {
  /** The nearest vectors first. The query has length 1, so a score is a cosine. Vectors of `hidden` groups are not compared. Throws `QueueFull`. */
  nearest(
    index: SearchedIndex,
    query: Float32Array,
    options: { hidden: readonly string[]; limit: number },
  ): Promise<{ id: string; score: number }[]>;
  /** Work of a search elsewhere, such as in the database. Searches take turns by their owner. Throws `QueueFull`. */
  inTurn<Result>(owner: string, work: () => Promise<Result>): Promise<Result>;
  /** Vectors in memory. */
  kept(): { indexes: number; bytes: number };
  close(): Promise<void>;
}

interface SearchedIndex {
  /** Of its content: two indexes of one id have the same vectors. Searches take turns by it. */
  id: string;
  load(): Promise<StoredVectors>;
}

interface Settings {
  /** An index that alone has more is kept alone. */
  most_bytes?: number;
  unused_ms?: number;
  /** Of one index; each takes some milliseconds. */
  most_waiting?: number;
  startThread?: () => Worker;
}

/** 20,000 vectors of 384 numbers are 31 MB. */
const most_bytes_kept = 256 * 1024 * 1024;
const unused_ms_kept = 10 * 60_000;
const most_waiting_searches = 500;
// A search takes milliseconds. The times are for a machine under load.
const answer_ms = 10_000;
const start_ms = 20_000;
const resourceLimits = { maxOldGenerationSizeMb: 64, maxYoungGenerationSizeMb: 16 };

export function openVectorSearch({
  most_bytes = most_bytes_kept,
  unused_ms = unused_ms_kept,
  most_waiting = most_waiting_searches,
  startThread = () => new Worker(places.vector_worker, { env: {}, resourceLimits }),
}: Settings = {}): VectorSearch {
  const queue = fairQueue({ most_waiting });
  const loads = pLimit(1);
  const indexes = new LRUCache<string, VectorIndex, SearchedIndex>({
    maxSize: most_bytes,
    sizeCalculation: ({ vectors }) => Math.max(1, Math.min(vectors.byteLength, most_bytes)),
    ttl: unused_ms,
    ttlAutopurge: true,
    updateAgeOnGet: true,
    ignoreFetchAbort: true, // who waits for a load gets it, also when it is not kept
    // All who wait for an index wait for one load. A load takes longer than a search, so few indexes wait in memory beyond those that are kept.
    fetchMethod: async (_id, _old, { context }) => await loads(async () => vectorIndex(await context.load())),
  });
  let started: Promise<Worker> | undefined;
  const end = async () => {
    const thread = await started?.catch(() => undefined); // who waited for the start has the error
    started = undefined;
    await thread?.terminate();
  };
  const running = async () => {
    const thread = await start(startThread);
    thread.once('exit', () => (started = undefined));
    return thread;
  };
  const answer = async (question: Question) => {
    try {
      return await ask(await (started ??= running()), question);
    } catch (error) {
      await end();
      throw error;
    }
  };
  return {
    nearest: async (index, query, { hidden, limit }) => {
      const found = await indexes.forceFetch(index.id, { context: index });
      const { ids, vectors, dimensions } = found;
      if (query.length !== dimensions)
        throw new RangeError(`A question of ${query.length} numbers fits no index of ${dimensions}.`);
      const visible = maskOf(found, hidden);
      const question = { vectors, question: query, visible, limit: Math.min(limit, ids.length) };
      // A thread that has died is replaced, once for a search.
      const answered = async () => await answer(question).catch(async () => await answer(question));
      const { rows, scores } = await queue.run(index.id, answered);
      return Array.from(rows, (row, n) => ({ id: ids[row] ?? '', score: scores[n] ?? 0 }));
    },
    inTurn: async (owner, work) => await queue.run(owner, work),
    kept: () => ({ indexes: indexes.size, bytes: indexes.calculatedSize }),
    close: async () => {
      indexes.clear();
      await end();
    },
  };
}

async function start(startThread: () => Worker): Promise<Worker> {
  const thread = startThread();
  thread.unref();
  await next(thread, start_ms);
  // Without a listener, an error between two searches would end the process.
  thread.on('error', () => undefined);
  return thread;
}

async function ask(thread: Worker, question: Question): Promise<NearestRows> {
  const answered = next(thread, answer_ms);
  thread.postMessage(question);
  return (await answered) as NearestRows; // from vector-worker.ts
}

async function next(thread: Worker, deadline_ms: number): Promise<unknown> {
  return await nextMessage(thread, {
    deadline_ms,
    late: () => new Error(`The search of vectors took more than ${deadline_ms / 1000} s.`),
    ended: () => new Error('The thread that searches vectors ended without an answer.'),
  });
}
