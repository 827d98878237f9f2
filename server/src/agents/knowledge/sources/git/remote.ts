// The requests to the server of a repository. Must never happen: the secret goes to another origin than that of the config, or an answer has no end.
import type { Dispatcher } from 'undici';
import { headersOf } from '../../../../ground/outbound/bounded-fetch.ts';
import { connectionFault } from '../../../../ground/outbound/connection-fault.ts';
import { requirePlain } from '../receive.ts';
import { DocumentUnreadable, type SourceContext } from '../source.ts';
import { token } from '../token.ts';
import { most_pack_bytes, most_refs_bytes } from './limits.ts';
import type { RemoteRequest } from './messages.ts';

const refs_path = '/info/refs?service=git-upload-pack';
const most_redirects = 5;
/** A server makes the pack before its answer begins. */
const silence_ms = 120_000;

interface RemoteAnswer {
  headers: Record<string, string>;
  /** Throws DocumentUnreadable when it is too large or breaks off. */
  chunks: AsyncIterable<Uint8Array>;
}

export interface Remote {
  /** Throws DocumentUnreadable. */
  request(asked: RemoteRequest, signal: AbortSignal): Promise<RemoteAnswer>;
}

export async function openRemote(
  { repository, secret }: { repository: string; secret?: string | undefined },
  context: SourceContext,
): Promise<Remote> {
  const home = new URL(repository).origin;
  const authorization = secret === undefined ? undefined : basic(await token(secret, context));
  /** After redirects. */
  let base = repository.replace(/\/$/, '');
  const send = async (url: string, body: Uint8Array | undefined, signal: AbortSignal) => {
    const headers = {
      'user-agent': 'git/gantry',
      'accept-encoding': 'identity',
      ...(authorization !== undefined && new URL(url).origin === home && { authorization }),
      ...(body !== undefined && {
        'content-type': 'application/x-git-upload-pack-request',
        accept: 'application/x-git-upload-pack-result',
      }),
    };
    const method = body === undefined ? 'GET' : 'POST';
    const times = { headersTimeout: silence_ms, bodyTimeout: silence_ms };
    return await context.outbound
      .request(url, { method, headers, body: body ?? null, signal, ...times })
      .catch(refused(url, signal));
  };
  const refs = async (signal: AbortSignal) => {
    for (let redirects = 0; redirects <= most_redirects; redirects++) {
      const answer = await send(base + refs_path, undefined, signal);
      const next = redirectOf(answer, base);
      if (next === undefined) return answer;
      await answer.body.dump();
      base = next;
    }
    throw new DocumentUnreadable(`it redirects more than ${most_redirects} times`);
  };
  return {
    request: async (asked, signal) => {
      const answer =
        asked.of === 'refs' ? await refs(signal) : await send(`${base}/git-upload-pack`, asked.body, signal);
      const { statusCode: status, body } = answer;
      if (status !== 200) {
        await body.dump();
        throw new DocumentUnreadable(refusal(status, secret));
      }
      const headers = headersOf(answer);
      requirePlain(headers);
      const bytes = asked.of === 'refs' ? most_refs_bytes : most_pack_bytes;
      return { headers: Object.fromEntries(headers), chunks: bounded(body, { bytes, url: base, signal }) };
    },
  };
}

async function* bounded(
  body: AsyncIterable<Uint8Array>,
  { bytes, url, signal }: { bytes: number; url: string; signal: AbortSignal },
): AsyncGenerator<Uint8Array> {
  let arrived = 0;
  try {
    for await (const chunk of body) {
      arrived += chunk.length;
      if (arrived > bytes) throw new DocumentUnreadable(`it sends more than ${bytes / 1024 ** 2} MB`);
      yield chunk;
    }
  } catch (error) {
    refused(url, signal)(error);
  }
}

/** Of a repository: as git itself, only to an address that ends as the asked one does. */
function redirectOf(
  { statusCode, headers }: Pick<Dispatcher.ResponseData, 'statusCode' | 'headers'>,
  base: string,
): string | undefined {
  if (![301, 302, 303, 307, 308].includes(statusCode)) return undefined;
  const next = URL.parse([headers.location].flat()[0] ?? '//', base + refs_path)?.href;
  if (next === undefined || !next.endsWith(refs_path))
    throw new DocumentUnreadable('it redirects to no Git repository');
  if (base.startsWith('https:') && !next.startsWith('https:'))
    throw new DocumentUnreadable('it redirects from https to http');
  return next.slice(0, -refs_path.length);
}

/** A token alone stands as the password, with the name that GitHub expects and others accept. */
function basic(value: string): string {
  const pair = value.includes(':') ? value : `x-access-token:${value}`;
  return `Basic ${Buffer.from(pair).toString('base64')}`;
}

function refused(url: string, signal: AbortSignal): (error: unknown) => never {
  return (error) => {
    signal.throwIfAborted();
    throw error instanceof DocumentUnreadable ? error : new DocumentUnreadable(connectionFault(error, url));
  };
}

function refusal(status: number, secret: string | undefined): string {
  if (![401, 403, 404].includes(status)) return `it answers ${status}`;
  return secret === undefined
    ? `it answers ${status}: nothing is there, or \`secret\` must name a secret that opens it`
    : `it answers ${status}: nothing is there, or the secret ${secret} does not open it`;
}
