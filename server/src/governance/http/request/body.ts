// Request bodies, bounded before they are read: JSON of at most 64 levels, or raw bytes for the handler.
import type { IncomingMessage } from 'node:http';
import type { z } from 'zod';
import { frames_type, type BodyShape } from '@gantry/contract/endpoint.ts';
import { Problem, type Fault } from '@gantry/contract/problems.ts';
import { leastRate, steadyBody, tooSlow, type LeastRate } from './steady-body.ts';
import { requireStorable } from './storable.ts';

const max_depth = 64;
const archive_types = ['application/gzip', 'application/x-gzip', 'application/x-tar+gzip'];

/** The announced length; undefined without one. */
export function announcedBytes({ headers }: IncomingMessage): number | undefined {
  if (headers['transfer-encoding'] !== undefined) return undefined;
  return Number(headers['content-length'] ?? 0);
}

/**
 * The whole body. Throws `too_large` over the limit: before the first byte is read where the length was announced. Throws
 * `request_timeout` for a body that arrives too slowly.
 */
export async function readBytes(
  incoming: IncomingMessage,
  max_bytes: number,
  { bytes_per_second, window_ms }: LeastRate = leastRate,
): Promise<Buffer> {
  if ((announcedBytes(incoming) ?? 0) > max_bytes) throw tooLarge(max_bytes);
  const { promise, resolve, reject } = Promise.withResolvers<Buffer>();
  const chunks: Buffer[] = [];
  let [size, before] = [0, 0];
  const take = (chunk: Buffer) => {
    size += chunk.length;
    chunks.push(chunk);
    if (size > max_bytes) reject(tooLarge(max_bytes));
  };
  const timer = setInterval(() => {
    if (size - before < (bytes_per_second * window_ms) / 1000) reject(tooSlow(bytes_per_second));
    before = size;
  }, window_ms);
  incoming
    .on('data', take)
    .once('end', () => resolve(Buffer.concat(chunks, size)))
    .once('error', reject);
  try {
    return await promise;
  } catch (error) {
    incoming.off('data', take).pause();
    throw error;
  } finally {
    clearInterval(timer);
  }
}

/** Throws `unsupported_media_type` for a type that the endpoint does not take. */
export function requireType(shape: BodyShape, content_type: string | null): void {
  const type = (content_type ?? '').toLowerCase();
  if (shape === 'frames') {
    if (type !== frames_type)
      throw new Problem('unsupported_media_type', { detail: `Send the states as ${frames_type}.` });
    return;
  }
  if (shape === 'form') {
    if (!/^application\/x-www-form-urlencoded(; ?charset=utf-8)?$/.test(type))
      throw new Problem('unsupported_media_type', { detail: 'Send a form as application/x-www-form-urlencoded.' });
    return;
  }
  if (shape === 'file') {
    if (type !== 'application/octet-stream')
      throw new Problem('unsupported_media_type', { detail: 'Send the file as application/octet-stream.' });
    return;
  }
  if (shape === 'archive') {
    if (!archive_types.includes(type))
      throw new Problem('unsupported_media_type', { detail: 'Send a packed project as application/gzip.' });
    // `charset=utf-8` is the only parameter that clients send; another one is refused. Clients of A2A have a name of their own for JSON.
  } else if (!/^application\/(a2a\+)?json(; ?charset=utf-8)?$/.test(type))
    throw new Problem('unsupported_media_type', { detail: 'Send JSON as application/json.' });
}

/** An archive or a file: its handler reads it. A handler that stops early leaves the connection open for the answer. */
export function streamOf(incoming: IncomingMessage): ReadableStream<Uint8Array> {
  return steadyBody(ReadableStream.from<Uint8Array>(incoming.iterator({ destroyOnReturn: false })));
}

export function readJson(bytes: Buffer, schema: z.ZodType): unknown {
  const read = schema.safeParse(parseJson(bytes));
  if (read.success) {
    requireStorable(read.data, '');
    return read.data;
  }
  throw new Problem('invalid', {
    errors: read.error.issues.map((issue): Fault => ({ pointer: `/${issue.path.join('/')}`, message: issue.message })),
  });
}

/** Throws `malformed` for anything but JSON of at most 64 levels. */
export function parseJson(bytes: Uint8Array, parse: (text: string) => unknown = JSON.parse): unknown {
  const text = decode(bytes);
  if (depthOf(bytes) > max_depth)
    throw new Problem('malformed', { detail: `The body is nested deeper than ${max_depth} levels.` });
  try {
    return parse(text);
  } catch {
    throw new Problem('malformed', { detail: 'The body is not JSON.' });
  }
}

function decode(bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw new Problem('malformed', { detail: 'The body is not UTF-8.' });
  }
}

const [quote, backslash] = [0x22, 0x5c];
const [open_array, open_object, close_array, close_object] = [0x5b, 0x7b, 0x5d, 0x7d];

// Counts brackets outside strings. An upper bound is enough, but the recursive parser needs it before it runs. This is one pass over the
// bytes, because a byte of ASCII is no part of another character in UTF-8. A regular expression takes minutes over a megabyte of quotes, and
// anybody may send one.
function depthOf(bytes: Uint8Array): number {
  let depth = 0;
  let deepest = 0;
  for (let at = 0; at < bytes.length; at++) {
    const byte = bytes[at];
    if (byte === quote) at = endOfString(bytes, at + 1);
    else if (byte === open_array || byte === open_object) deepest = Math.max(deepest, ++depth);
    else if (byte === close_array || byte === close_object) depth--;
  }
  return deepest;
}

/** The position of the string's closing quote. */
function endOfString(bytes: Uint8Array, start: number): number {
  let at = start;
  for (; at < bytes.length && bytes[at] !== quote; at++) if (bytes[at] === backslash) at++;
  return at;
}

function tooLarge(max_bytes: number): Problem {
  const size = max_bytes < 1024 ** 2 ? `${max_bytes / 1024} kB` : `${max_bytes / 1024 ** 2} MB`;
  return new Problem('too_large', { detail: `The body is larger than ${size}.` });
}
