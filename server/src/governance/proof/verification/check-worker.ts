// The thread of check-thread.ts.
import { parentPort, workerData } from 'node:worker_threads';
import { checkChain } from '../../../../../verifier/verify.mjs';
import type { Given, Message } from './check-thread.ts';

const given = workerData as Given; // the input from check-thread.ts
const { chain } = given;
const check = checkChain(given);

parentPort?.on('message', (message: Message) => {
  if ('head' in message) return parentPort?.postMessage(check.end(message.head));
  for (const [seq, occurred_at, body, prev, hash] of message.rows)
    check.entry({ chain, seq, occurred_at, body, prev, hash });
  parentPort?.postMessage(undefined);
});
