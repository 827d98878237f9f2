// A chain is checked in a thread of its own: hashing a long log takes minutes of one core, which those who are being served must not wait for.
import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import type { Position } from '../audit/chain.ts';
import type { checkChain, Entry } from '../../../verifier/verify.mjs';

/** What checkChain() is given. */
export type Given = Parameters<typeof checkChain>[0];
type Found = ReturnType<ReturnType<typeof checkChain>['end']>;

/** An entry without its chain, and without names: copied to the other thread in a third of the time. */
export type Row = [seq: number, occurred_at: string, body: string, prev: string, hash: string];

/** All entries in order, some at a time, and then the head of the chain; answered by nothing once they are taken, and by what was found. */
export type Message = { rows: Row[] } | { head: Position };

export async function checkInThread(given: Given, entries: AsyncIterable<Entry[]>, head: Position): Promise<Found> {
  const thread = new Worker(new URL('check-worker.ts', import.meta.url), { workerData: given, env: {} });
  const failed = once(thread, 'error').then(([error]) => {
    throw error;
  });
  failed.catch(() => {}); // heard by whoever waits for an answer
  const ask = async (message: Message): Promise<unknown> => {
    thread.postMessage(message);
    return (await Promise.race([once(thread, 'message'), failed]))[0];
  };
  try {
    let taken: Promise<unknown> = Promise.resolve();
    for await (const batch of entries) {
      await taken;
      taken = ask({ rows: batch.map((entry) => [entry.seq, entry.occurred_at, entry.body, entry.prev, entry.hash]) });
      taken.catch(() => {}); // heard with the next
    }
    await taken;
    return (await ask({ head })) as Found; // what check-worker.ts answers to a head
  } finally {
    await thread.terminate();
  }
}
