import { readFileSync } from 'node:fs';
import path from 'node:path';
import type { Config } from '../config.ts';
import { misuse } from '../refusal.ts';

export interface ServerAddress {
  /** No slash at the end. */
  url: string;
  /** Nobody named it, and no server of this machine has announced it: it is where one would listen. */
  guessed: boolean;
}

/** --server, else SERVICE_URL, else what a server of this machine has announced, else where it would listen. */
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
    throw misuse('An address carries no user name and password', 'Run `svc login`.');
  return url.href.replace(/\/+$/, '');
}

export interface AnnouncedServer {
  pid: number;
  /** Null while it starts. */
  url: string | null;
  started_at: string;
  /** When the kernel started it, in clock ticks since boot; empty where /proc is not there. */
  started_ticks?: string;
}

/** What `server.pid` says; the server writes it. Whether that process still runs is another question. */
export function announcedServer(data_directory: string): AnnouncedServer | undefined {
  try {
    return JSON.parse(readFileSync(path.join(data_directory, 'server.pid'), 'utf8')) as AnnouncedServer; // written by the server in this shape
  } catch {
    // No server, or one that was cut off while it wrote the file: either way none has announced itself.
    return undefined;
  }
}
