// Syslog over TCP or TLS (RFC 6587 octet counting, RFC 5425). The protocol has no acknowledgement. Instead, each batch has its own
// connection and we end it first. Only a receiver that then ends its side too has read everything. A receiver that dies with unread bytes
// resets the connection or ends it before us. Then the batch is sent again.
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { connect as connectTls } from 'node:tls';
import type { Receiver } from './receiver.ts';
import { syslogMessage } from './syslog-message.ts';

// The pause before our end. If the receiver closed during the transfer, its end arrives in this pause.
const settle_ms = 100;

export interface StreamAddress {
  host: string;
  port: number;
  /** The receiver's certificate is always verified. */
  tls?: { ca: string[] | undefined };
}

export function streamReceiver({ host, port, tls }: StreamAddress): Receiver {
  return {
    send: async (entries, signal) => {
      const frames = entries.map((entry) => {
        const message = syslogMessage(entry);
        return `${Buffer.byteLength(message)} ${message}`;
      });
      const socket =
        tls === undefined
          ? connect({ host, port })
          : connectTls({ host, port, ...(tls.ca === undefined ? {} : { ca: tls.ca }) });
      try {
        await once(socket, tls === undefined ? 'connect' : 'secureConnect', { signal });
        await deliver(socket, frames.join(''), signal);
      } finally {
        socket.destroy();
      }
    },
    close: async () => {},
  };
}

async function deliver(socket: Socket, bytes: string, signal: AbortSignal): Promise<void> {
  let ended = false;
  const end = once(socket, 'end', { signal }).then(() => (ended = true));
  end.catch(() => {}); // awaited below, unless something fails before
  socket.resume();
  await new Promise<void>((resolve, reject) =>
    socket.write(bytes, (error) => (error instanceof Error ? reject(error) : resolve())),
  );
  await Promise.race([delay(settle_ms, undefined, { signal }), end]);
  if (ended) throw new Error('it closed the connection before the end');
  socket.end();
  await end;
}
