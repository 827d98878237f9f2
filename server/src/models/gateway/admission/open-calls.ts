// The calls of this process that are under way, by key. Promise: the end of a key ends them within a second, whatever ended it. The database is
// asked, because no commit announces that a key expires. While the database does not answer, calls go on.
import { Problem } from '@gantry/contract/problems.ts';
import type { Reader } from '../../../ground/database/database.ts';
import { endedKeys } from '../../keys/calls/facts.ts';

export interface OpenCalls {
  /** Until it is closed. */
  open(key_id: string, client: AbortSignal): OpenCall;
}

interface OpenCall {
  /** Ends with the client, also after `close`, and with the key until then. */
  signal: AbortSignal;
  /** The result. Throws KeyEnded when the key ends first; the work then continues. */
  whileKeyWorks<T>(work: Promise<T>): Promise<T>;
  close(): void;
}

/** Its key ended during the call. */
export class KeyEnded extends Problem {}

const ask_every_ms = 500;

export function openCalls({ db, background }: { db: Reader; background: (work: Promise<unknown>) => void }): OpenCalls {
  const ends = new Map<string, Set<(refusal: KeyEnded) => void>>();
  let timer: NodeJS.Timeout | undefined;
  let isAsking = false;

  const ask = async () => {
    if (isAsking) return;
    isAsking = true;
    try {
      for (const { id, prefix } of await endedKeys(db, [...ends.keys()])) {
        const refusal = new KeyEnded('invalid_api_key', { detail: `The key ${prefix}… ended during the call.` });
        for (const end of ends.get(id) ?? []) end(refusal);
      }
    } finally {
      isAsking = false;
    }
  };

  return {
    open: (key_id, client) => {
      const ending = new AbortController();
      const { signal } = ending;
      let endWork: (refusal: KeyEnded) => void = () => {};
      let refusal: KeyEnded | undefined;
      const leave = () => ending.abort(client.reason);
      if (client.aborted) leave();
      client.addEventListener('abort', leave, { once: true });
      const end = (why: KeyEnded) => {
        refusal = why;
        ending.abort(why);
        endWork(why);
      };
      const of_key = ends.get(key_id) ?? new Set();
      ends.set(key_id, of_key.add(end));
      timer ??= setInterval(() => background(ask()), ask_every_ms);
      return {
        signal,
        whileKeyWorks: async (work) => {
          // One promise for the whole call would keep a reaction for each part of its answer.
          const { promise, reject } = Promise.withResolvers<never>();
          endWork = reject;
          if (refusal !== undefined) reject(refusal);
          return await Promise.race([work, promise]);
        },
        close: () => {
          of_key.delete(end);
          if (of_key.size === 0 && ends.get(key_id) === of_key) ends.delete(key_id);
          if (ends.size > 0) return;
          clearInterval(timer);
          timer = undefined;
        },
      };
    },
  };
}
