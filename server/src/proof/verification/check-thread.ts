// A chain is checked in a thread of its own: hashing a long log takes minutes of one core, which those who are being served must not wait for.
import { Worker } from 'node:worker_threads';
import type { Position } from '../../audit/chain.ts';
import type { checkChain, Entry } from '../../../../verifier/verify.mjs';

/** What checkChain() is given. */
export type Given = Parameters<typeof checkChain>[0];
type Found = ReturnType<ReturnType<typeof checkChain>['end']>;

/** An entry without its chain, and without names: copied to the other thread in a third of the time. */
type Row = [seq: number, occurred_at: string, body: string, prev: string, hash: string];

/** All entries in order, some at a time, and then the head of the chain; answered by nothing once they are taken, and by what was found. */
export type Message = { rows: Row[] } | { head: Position };

// So many batches are on their way to the other thread at most: with one it would wait for the next, with many they would all be in memory.
const max_under_way = 2;

export async function checkInThread(given: Given, entries: AsyncIterable<Entry[]>, head: Position): Promise<Found> {
  const thread = new Worker(new URL('check-worker.ts', import.meta.url), { workerData: given, env: {} });
  const failed = Promise.withResolvers<never>();
  failed.promise.catch(() => {}); // heard by whoever waits for an answer
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
      taken.catch(() => {}); // heard when it is waited for
      under_way.push(taken);
    }
    await Promise.all(under_way);
    return (await ask({ head })) as Found; // what check-worker.ts answers to a head
  } finally {
    await thread.terminate();
  }
}
