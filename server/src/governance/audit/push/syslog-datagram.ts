// Syslog over UDP (RFC 5426): lost messages are not noticed. For receivers that accept nothing else.
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import type { EntryLine } from '@gantry/contract/audit/audit-stream.ts';
import type { Receiver } from './receiver.ts';
import { syslogMessage } from './syslog-message.ts';

const max_bytes = 60_000;
// The error of a closed port arrives a moment later.
const settle_ms = 50;

export function datagramReceiver({ host, port }: { host: string; port: number }): Receiver {
  return {
    send: async (entries, signal) => {
      const socket = createSocket(host.includes(':') ? 'udp6' : 'udp4');
      const failed = once(socket, 'error').then(([error]) => {
        throw error;
      });
      failed.catch(() => {}); // raced below
      try {
        socket.connect(port, host);
        await Promise.race([once(socket, 'connect', { signal }), failed]);
        for (const entry of entries) await Promise.race([sent(socket, message(entry)), failed]);
        await Promise.race([delay(settle_ms, undefined, { signal }), failed]);
      } finally {
        socket.close();
      }
    },
    close: async () => {},
  };
}

async function sent(socket: ReturnType<typeof createSocket>, text: string): Promise<void> {
  await new Promise<void>((resolve, reject) =>
    socket.send(text, (error) => (error instanceof Error ? reject(error) : resolve())),
  );
}

// An entry that is too long for a datagram arrives as number and hash. They still prove its existence and content.
function message(entry: EntryLine): string {
  const whole = syslogMessage(entry);
  if (whole.length <= max_bytes) return whole;
  const { body, ...rest } = entry;
  return syslogMessage(entry, { ...rest, body: null, body_bytes: Buffer.byteLength(body) });
}
