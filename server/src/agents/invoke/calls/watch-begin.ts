// Finds out that a container has begun a call, while the answer is awaited. Asks the container, and asks again while the call waits in its queue. A
// short call is answered before the first question.
import { setTimeout as sleep } from 'node:timers/promises';
import { short_ms } from '../upstream.ts';

export interface BeginWatch {
  /** One sending of the call goes out. The one before is not watched any more. */
  sent(attempt: number, ask: () => Promise<'queued' | 'begun' | undefined>): void;
  /** Somebody waits for it. */
  askNow(): void;
  /** Resolves when a container has the call. */
  known: Promise<void>;
  /** The call has its end. */
  end(): void;
}

const quiet_ms = 250;
const first_pause_ms = 10;
const pause_ms = 1000;

export function watchBegin({
  tell,
  background,
}: {
  /** The sending has begun. */
  tell: (attempt: number) => Promise<void>;
  background: (work: Promise<unknown>) => void;
}): BeginWatch {
  const known = Promise.withResolvers<void>();
  const ended = new AbortController();
  let current = 0;
  let isWaited = false;
  let quiet: NodeJS.Timeout | undefined;
  let startWatch = () => {};
  const watch = async (attempt: number, ask: () => Promise<'queued' | 'begun' | undefined>) => {
    await Promise.resolve(); // the sending goes out first
    const began_at = performance.now();
    while (!ended.signal.aborted && current === attempt) {
      const seen = await ask();
      if (seen !== undefined) known.resolve();
      if (seen === 'begun') return await tell(attempt);
      const isNew = seen === undefined && performance.now() - began_at < short_ms;
      await pause(isNew ? first_pause_ms : pause_ms, ended.signal);
    }
  };
  return {
    sent: (attempt, ask) => {
      current = attempt;
      clearTimeout(quiet);
      startWatch = () => {
        clearTimeout(quiet);
        startWatch = () => {};
        background(watch(attempt, ask));
      };
      if (isWaited) startWatch();
      else quiet = setTimeout(() => startWatch(), quiet_ms);
    },
    askNow: () => {
      isWaited = true;
      startWatch();
    },
    known: known.promise,
    end: () => {
      clearTimeout(quiet);
      startWatch = () => {};
      // The reason is never read, and without one Node makes an error with a stack.
      ended.abort('ended');
    },
  };
}

async function pause(ms: number, signal: AbortSignal): Promise<void> {
  await sleep(ms, undefined, { signal }).catch(() => {}); // woken
}
