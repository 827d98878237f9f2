// One request to a source. Must never happen: an answer without an end in size or time, or a request past the checks of outgoing connections.
import { readAtMost } from '../../../ground/read-at-most.ts';
import { headersOf } from '../../../ground/outbound/bounded-fetch.ts';
import { connectionFault } from '../../../ground/outbound/connection-fault.ts';
import { most_file_bytes, tooLargeFile } from './limits.ts';
import { DocumentUnreadable, type SourceContext } from './source.ts';

const request_ms = 60_000;

interface Asked {
  url: string;
  method?: 'GET' | 'HEAD' | 'POST';
  headers?: Record<string, string>;
  body?: string;
  limits?: { ms?: number; bytes?: number; tooLarge?: string };
}

export interface Received {
  status: number;
  headers: Headers;
  bytes: Buffer;
}

/** A redirect is a plain answer. Throws DocumentUnreadable, and the signal's reason. */
export async function receive({ outbound, signal }: SourceContext, asked: Asked): Promise<Received> {
  const { url, method = 'GET', headers = {}, body, limits = {} } = asked;
  const { ms = request_ms, bytes = most_file_bytes, tooLarge = tooLargeFile } = limits;
  const deadline = AbortSignal.timeout(ms);
  try {
    const answer = await outbound.request(url, {
      method,
      // What comes compressed can be a thousand times its size.
      headers: { 'user-agent': 'gantry', 'accept-encoding': 'identity', ...headers },
      body: body ?? null,
      signal: AbortSignal.any([deadline, signal]),
      headersTimeout: ms,
      bodyTimeout: ms,
    });
    const given = headersOf(answer);
    const isTooLarge = Number(given.get('content-length') ?? 0) > bytes;
    if (isTooLarge) answer.body.on('error', () => undefined).destroy();
    const refusal = () => new DocumentUnreadable(tooLarge);
    if (isTooLarge) throw refusal();
    return { status: answer.statusCode, headers: given, bytes: await readAtMost(answer.body, bytes, refusal) };
  } catch (error) {
    signal.throwIfAborted();
    if (error instanceof DocumentUnreadable) throw error;
    throw new DocumentUnreadable(
      deadline.aborted ? `${hostOf(url)} did not answer within ${ms / 1000} s` : connectionFault(error, url),
    );
  }
}

export function requirePlain(headers: Headers): void {
  if (!['', 'identity'].includes(headers.get('content-encoding') ?? ''))
    throw new DocumentUnreadable('it comes compressed, although nobody asked for that');
}

const hostOf = (url: string) => new URL(url).host;
