// A connection of an instance, handed from the process at the door that has it to another process of the service (docs/decisions/0187). Both
// derive the same key from SECRET_KEY. Afterwards the bytes pass unread. The instance proves itself to the process that calls, on each connection.
import { createHmac } from 'node:crypto';
import { request as plainRequest } from 'node:http';
import { request as tlsRequest } from 'node:https';
import type { Socket } from 'node:net';
import { Problem } from '@gantry/contract/problems.ts';
import { bearerOf } from '../../../governance/http/request/request-headers.ts';
import type { Upgrade } from '../../../governance/http/listening/upgrade.ts';
import { isSameSecret } from '../../../ground/is-same-secret.ts';
import type { Present } from './dialled-store.ts';

export interface DoorTls {
  /** The authority of the certificate, in PEM. */
  ca: string;
  /** A name in the certificate. */
  servername: string;
}

export interface HandOver {
  key: Buffer;
  /** Absent: the door speaks HTTP. */
  tls: DoorTls | undefined;
}

const path = '/instances/take';
const protocol = 'gantry-connection/1';
const instance_header = 'x-svc-instance';
const process_header = 'x-svc-process';
const valid_ms = 60_000;
const fetch_ms = 2000;

export function handOverUpgrade({
  key,
  takeFree,
  onError,
}: {
  key: Buffer;
  takeFree: (of: Present) => Socket | undefined;
  onError: (error: unknown) => void;
}): Upgrade {
  return {
    path,
    protocol,
    onError,
    accept: async ({ headers }) => {
      const wanted = {
        instance_id: headers.get(instance_header) ?? '',
        process: headers.get(process_header) ?? '',
      };
      if (!isValid(key, bearerOf(headers) ?? '', wanted)) throw new Problem('unauthenticated');
      const free = takeFree(wanted);
      if (free === undefined)
        throw new Problem('starting', { detail: 'This process has no free connection of the instance.' });
      return await Promise.resolve((socket: Socket) => join(free, socket));
    },
  };
}

/** Rejects when the process is away, or has no free one. */
export async function fetchConnection(address: string, wanted: Present, { key, tls }: HandOver): Promise<Socket> {
  const { hostname: host, port } = new URL(`http://${address}`);
  const { promise, resolve, reject } = Promise.withResolvers<Socket>();
  const headers = {
    connection: 'Upgrade',
    upgrade: protocol,
    authorization: `Bearer ${permit(key, Date.now() + valid_ms, wanted)}`,
    [instance_header]: wanted.instance_id,
    [process_header]: wanted.process,
  };
  const options = { host, port, path, headers, agent: false, signal: AbortSignal.timeout(fetch_ms) } as const;
  const asked = tls === undefined ? plainRequest(options) : tlsRequest({ ...options, ...tls });
  asked.on('upgrade', (_, socket, head) => {
    // The instance speaks only when it is asked.
    if (head.length === 0) return resolve(socket);
    socket.destroy();
    reject(new Error('the connection of the instance has spoken unasked'));
  });
  asked.on('response', (answer) => {
    answer.resume();
    reject(new Error(`the process at ${address} answered ${answer.statusCode ?? 0}`));
  });
  asked.on('error', reject);
  asked.end();
  return await promise;
}

function join(one: Socket, other: Socket): void {
  for (const [from, to] of [
    [one, other],
    [other, one],
  ] as const) {
    from.on('error', () => to.destroy());
    from.on('close', () => to.destroy());
    from.pipe(to);
  }
}

const permit = (key: Buffer, until: number, of: Present) => `${until}.${signature(key, until, of)}`;

const signature = (key: Buffer, until: number, { instance_id, process }: Present) =>
  createHmac('sha256', key).update(`${until} ${instance_id} ${process}`).digest('base64url');

function isValid(key: Buffer, given: string, wanted: Present): boolean {
  const [until = ''] = given.split('.');
  const left = Number(until) - Date.now();
  // The clocks of two machines differ a little.
  if (!(left > -valid_ms && left < 2 * valid_ms)) return false;
  return isSameSecret(given, permit(key, Number(until), wanted));
}
