import { readFileSync } from 'node:fs';
import path from 'node:path';
import type { Config } from '../config.ts';
import { misuse } from '../refusal.ts';

export interface ServerAddress {
  /** Without a final slash. */
  url: string;
  /** Nobody named it, and no server of this machine has announced it: it is only the default. */
  guessed: boolean;
}

/** --server, else SERVICE_URL, else the address announced by a server of this machine, else the default. */
export function serverAddress(config: Config, flag: string | undefined): ServerAddress {
  const given = flag ?? config.server_url;
  if (given !== undefined) return { url: readAddress(given), guessed: false };
  const announced = announcedServer(config.data_directory)?.url ?? undefined;
  return { url: announced ?? `http://127.0.0.1:${config.port}`, guessed: announced === undefined };
}

function readAddress(given: string): string {
  const url = URL.parse(given);
  if (url === null || !/^https?:$/.test(url.protocol)) {
    throw misuse(`"${given}" is not the address of a service`, 'Write it like http://127.0.0.1:4480.');
  }
  if (url.username !== '' || url.password !== '')
    throw misuse('An address must not have a user name or a password', 'Run `svc login`.');
  return url.href.replace(/\/+$/, '');
}

export interface AnnouncedServer {
  pid: number;
  /** Null during its start. */
  url: string | null;
  started_at: string;
  /** Its start according to the kernel, in clock ticks since boot; empty without /proc. */
  started_ticks?: string;
}

/** The content of `server.pid`, which the server writes. It does not prove that the process still runs. */
export function announcedServer(data_directory: string): AnnouncedServer | undefined {
  try {
    return JSON.parse(readFileSync(path.join(data_directory, 'server.pid'), 'utf8')) as AnnouncedServer; // written by the server in this shape
  } catch {
    // No server, or one that was interrupted while it wrote the file: in both cases none is announced.
    return undefined;
  }
}
