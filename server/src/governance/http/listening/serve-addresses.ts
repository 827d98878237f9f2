import type { RequestListener } from 'node:http';
import { startLoop } from '../../../ground/queue/loop.ts';
import { PortTaken, serve, type Certificate, type Listening, type ServeEvents } from './serve.ts';
import type { Upgrade } from './upgrade.ts';

const look_every_ms = 1000;

export interface Addresses {
  /** The present addresses. */
  find: () => Promise<string[]>;
  port: number;
  max_connections: number;
  upgrades?: readonly Upgrade[] | undefined;
  tls?: Certificate | undefined;
}

/**
 * Listens on each address as soon as it exists: the networks of the agents come with their first one. All processes of the installation
 * listen together, so none waits for the end of another.
 */
export function serveAddresses(
  listener: RequestListener,
  { find, ...at }: Addresses,
  { onError, ...events }: ServeEvents & { onError: (error: unknown) => void },
): Pick<Listening, 'drain' | 'close'> {
  const listening = new Map<string, Listening>();
  const listen = async (host: string) => {
    if (listening.has(host)) return;
    try {
      listening.set(host, await serve(listener, { ...at, host, reuse_port: true }, events));
    } catch (error) {
      if (!isExpected(error)) onError(error);
    }
  };
  const loop = startLoop(async () => void (await Promise.all((await find()).map(listen))), {
    pause_ms: look_every_ms,
    failed_pause_ms: look_every_ms,
    onError,
  });
  const each = async (end: (one: Listening) => Promise<void>) =>
    void (await Promise.all([...listening.values()].map(end)));
  return {
    drain: async () => {
      await loop.stop();
      await each(async (one) => await one.drain());
    },
    close: async (wait_ms) => {
      await loop.stop();
      await each(async (one) => await one.close(wait_ms));
    },
  };
}

// A process of an earlier release listens alone, and a removed network takes its address with it.
function isExpected(error: unknown): boolean {
  return error instanceof PortTaken || (error instanceof Error && 'code' in error && error.code === 'EADDRNOTAVAIL');
}
