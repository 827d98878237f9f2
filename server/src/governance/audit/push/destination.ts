// A URL of the settings → a destination for copies of the log. The operator sets it, so any address is allowed.
import { readFileSync } from 'node:fs';
import { rootCertificates } from 'node:tls';
import { ConfigFault } from '../../../ground/config/config.ts';
import { httpReceiver } from './http.ts';
import type { Receiver } from './receiver.ts';
import { datagramReceiver } from './syslog-datagram.ts';
import { streamReceiver } from './syslog-stream.ts';

export interface Destination extends Receiver {
  /** The URL without its query, which may contain a secret. */
  name: string;
}

export interface PushSettings {
  urls: readonly string[];
  /** For an HTTP destination: the bearer token. */
  token?: string | undefined;
  /** For an HTTP destination: signs each request. */
  signing_key?: string | undefined;
  /** A PEM file of further certificate authorities. */
  ca_file?: string | undefined;
}

export function destinations({ urls, ca_file, ...credentials }: PushSettings): Destination[] {
  const ca = ca_file === undefined ? undefined : [...rootCertificates, readAuthorities(ca_file)];
  return urls.map((text) => {
    const url = new URL(text);
    const path = url.pathname === '' ? '' : url.pathname;
    return { name: `${url.protocol}//${url.host}${path}`, ...receiverAt(url, ca, credentials) };
  });
}

function readAuthorities(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    throw new ConfigFault(`AUDIT_PUSH_CA_FILE cannot be read: ${error instanceof Error ? error.message : file}`);
  }
}

function receiverAt(
  url: URL,
  ca: string[] | undefined,
  credentials: Pick<PushSettings, 'token' | 'signing_key'>,
): Receiver {
  // Only a URL has brackets around an IPv6 address.
  const host = url.hostname.replaceAll(/^\[|\]$/g, '');
  const at = (port: number) => ({ host, port: url.port === '' ? port : Number(url.port) });
  switch (url.protocol) {
    case 'syslog+tls:':
      return streamReceiver({ ...at(6514), tls: { ca } });
    case 'syslog+tcp:':
      return streamReceiver(at(601));
    case 'syslog+udp:':
      return datagramReceiver(at(514));
    default:
      return httpReceiver({ url, ca, ...credentials });
  }
}
