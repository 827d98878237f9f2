import type { RequestListener } from 'node:http';
import { PortTaken, serve, type Listening, type ServeEvents } from './serve.ts';

const retry_ms = 2000;

/**
 * Listens as soon as the address exists. The network of the agents comes with the first one, and another process of the installation can listen
 * there until it ends.
 */
export function serveWhenPossible(
  listener: RequestListener,
  at: Parameters<typeof serve>[1],
  events: ServeEvents & { onError: (error: unknown) => void },
): Pick<Listening, 'close'> {
  let listening: Listening | undefined;
  let timer: NodeJS.Timeout | undefined;
  let trying: Promise<void> | undefined;
  let closed = false;
  const attempt = async () => {
    try {
      listening = await serve(listener, at, events);
    } catch (error) {
      if (!isExpected(error)) events.onError(error);
      if (!closed) timer = setTimeout(start, retry_ms);
    }
  };
  const start = () => {
    trying = attempt();
  };
  start();
  return {
    close: async (wait_ms) => {
      closed = true;
      clearTimeout(timer);
      await trying;
      await listening?.close(wait_ms);
    },
  };
}

function isExpected(error: unknown): boolean {
  return error instanceof PortTaken || (error instanceof Error && 'code' in error && error.code === 'EADDRNOTAVAIL');
}
