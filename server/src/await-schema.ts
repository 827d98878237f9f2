// A service without the owner's connection waits until somebody has migrated the database (`node server/start.js migrate`). Meanwhile it
// listens: /livez says that it lives, and every other path, /readyz among them, answers 503 with the reason.
import type { IncomingMessage, ServerResponse } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import { Problem } from '@gantry/contract/problems.ts';
import { olderSchema, type AwaitSchema } from './foundation.ts';
import type { Config } from './ground/config/config.ts';
import type { Log } from './ground/log.ts';
import { requestLog } from './governance/http/listening/request-log.ts';
import { serve } from './governance/http/listening/serve.ts';
import { answerLast } from './governance/http/listening/unparsed.ts';

const ask_every_ms = 1000;

/** A signal ended the process before its schema was there. */
export class StoppedWaiting extends Error {}

export function awaitSchema(config: Config, log: Log, stopping?: AbortSignal): AwaitSchema {
  return async (lock, missing) => {
    let names = await missing();
    if (names.length === 0) return;
    log.warn({ missing: names.length, last: names.at(-1) }, `the service waits: ${olderSchema(names)}`);
    const { unparsed, full } = requestLog(log);
    const answer = (incoming: IncomingMessage, outgoing: ServerResponse) => {
      if (incoming.url === '/livez') answerAlive(outgoing);
      else
        answerLast(outgoing, new Problem('starting', { detail: olderSchema(names) }), {
          onUnparsed: () => {},
          why: '',
        });
    };
    const listening = await serve(answer, config, { unparsed, full });
    try {
      await lock.announce(listening.url);
      while (names.length > 0) {
        await pause(stopping);
        names = await missing();
      }
    } finally {
      await listening.close(0);
    }
    log.info({}, 'the database has every migration');
  };
}

async function pause(stopping: AbortSignal | undefined): Promise<void> {
  try {
    await delay(ask_every_ms, undefined, { signal: stopping });
  } catch {
    throw new StoppedWaiting('The service was stopped while it waited for the migrations.');
  }
}

function answerAlive(outgoing: ServerResponse): void {
  outgoing.writeHead(200, { 'content-type': 'application/json', 'cache-control': 'no-store', connection: 'close' });
  outgoing.end('{"status":"ok"}');
}
