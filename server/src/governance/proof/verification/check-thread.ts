// A separate thread checks a chain. The hashes of a long log take minutes of one core, and requests must not wait for them.
import { Worker } from 'node:worker_threads';
import type { Position } from '../../audit/chain.ts';
import type { checkChain, Entry } from '../../../../../verifier/verify.mjs';
import { places } from '../../../ground/places-of-files.ts';

/** The input of checkChain(). */
export type Given = Parameters<typeof checkChain>[0];
type Found = ReturnType<ReturnType<typeof checkChain>['end']>;

/** An entry without its chain and without member names. The copy to the other thread takes a third of the time. */
type Row = [seq: number, occurred_at: string, body: string, prev: string, hash: string];

/** First all entries in order, in batches, then the head of the chain. The answer to a batch is empty; the answer to the head is the result. */
export type Message = { rows: Row[] } | { head: Position };

// The limit of batches in transfer to the other thread. With one it would wait for the next; with many all would be in memory.
const max_under_way = 2;

export async function checkInThread(given: Given, entries: AsyncIterable<Entry[]>, head: Position): Promise<Found> {
  const thread = new Worker(places.check_worker, { workerData: given, env: {} });
  const failed = Promise.withResolvers<never>();
  failed.promise.catch(() => {}); // thrown to the caller that waits for an answer
  thread.on('error', failed.reject);
  const asked: PromiseWithResolvers<unknown>[] = [];
  thread.on('message', (answer) => asked.shift()?.resolve(answer));
  const ask = async (message: Message): Promise<unknown> => {
    const answer = Promise.withResolvers<unknown>();
    asked.push(answer);
    thread.postMessage(message);
    return await Promise.race([answer.promise, failed.promise]);
  };
  try {
    const under_way: Promise<unknown>[] = [];
    for await (const batch of entries) {
      if (under_way.length === max_under_way) await under_way.shift();
      const taken = ask({
        rows: batch.map((entry) => [entry.seq, entry.occurred_at, entry.body, entry.prev, entry.hash]),
      });
      taken.catch(() => {}); // thrown when it is awaited
      under_way.push(taken);
    }
    await Promise.all(under_way);
    return (await ask({ head })) as Found; // the answer of check-worker.ts to a head
  } finally {
    await thread.terminate();
  }
}
