// Documents at addresses. Must never happen: a secret goes to another host than its address names, or a redirect leads to a private address.
import pLimit from 'p-limit';
import type { KnowledgeBaseConfig } from '@gantry/project/asset-config/knowledge-base.ts';
import { most_source_bytes, tooLargeSource } from './limits.ts';
import { markOf } from './mark.ts';
import { mediaTypeOf } from './media-type.ts';
import { receive, requirePlain, type Received } from './receive.ts';
import { DocumentUnreadable, type Listed, type SourceContext } from './source.ts';
import { token } from './token.ts';

const most_redirects = 5;
const heads_at_once = 8;

type Document = KnowledgeBaseConfig['documents'][number];
type Access = { name: string; token: string } | undefined;

interface Arrived extends Received {
  /** After all redirects. */
  url: string;
}

export async function* addresses(config: KnowledgeBaseConfig, context: SourceContext): AsyncGenerator<Listed> {
  const documents = config.documents.flatMap(({ url, ...one }) => (url === undefined ? [] : [{ ...one, url }]));
  const opened = documents.length === 0 ? undefined : await reasoned(accessOf(config.secret, context));
  if (opened === undefined) return;
  if (opened instanceof DocumentUnreadable) {
    yield* documents.map(({ url }) => ({ path: url, problem: opened.message }));
    return;
  }
  const access = opened.value;
  const limit = pLimit(heads_at_once);
  const heads = documents.map(({ url }) =>
    limit(async () => await Promise.allSettled([follow(context, { url, access, method: 'HEAD' })])),
  );
  const meter = { bytes: 0 };
  try {
    for (const [n, document] of documents.entries()) {
      const [head] = (await heads[n]) ?? [];
      if (head === undefined) throw new Error('each document has a head');
      yield await listed(document, head, { context, access, meter });
    }
  } finally {
    limit.clearQueue();
  }
}

interface Reading {
  context: SourceContext;
  access: Access;
  /** What all addresses have sent. */
  meter: { bytes: number };
}

async function listed(
  { url, title, readers }: Document & { url: string },
  head: PromiseSettledResult<Arrived>,
  reading: Reading,
): Promise<Listed> {
  const given = { path: url, ...(title !== undefined && { title }), ...(readers !== undefined && { readers }) };
  if (head.status === 'rejected') {
    if (!(head.reason instanceof DocumentUnreadable)) throw head.reason;
    return { path: url, problem: head.reason.message };
  }
  // Some servers answer no HEAD. Then only the content says what type it is.
  if (head.value.status === 200) {
    const { headers, url: found_at } = head.value;
    const validator = validatorOf(headers);
    const mark = validator === undefined ? {} : { mark: markOf(url, found_at, validator) };
    return { ...given, ...mark, ...typeOf(url, headers), read: async () => (await content(url, reading)).bytes };
  }
  const read = await reasoned(content(url, reading));
  if (read instanceof DocumentUnreadable) return { path: url, problem: read.message };
  const { headers, bytes } = read.value;
  return { ...given, ...typeOf(url, headers), read: async () => await Promise.resolve(bytes) };
}

async function content(url: string, { context, access, meter }: Reading): Promise<Arrived> {
  const arrived = await follow(context, { url, access, method: 'GET' });
  const { status, headers, bytes } = arrived;
  if (status !== 200) throw new DocumentUnreadable(refusal(status, access));
  requirePlain(headers);
  meter.bytes += bytes.length;
  if (meter.bytes > most_source_bytes) throw new DocumentUnreadable(tooLargeSource);
  return arrived;
}

async function follow(
  context: SourceContext,
  { url, access, method }: { url: string; access: Access; method: 'GET' | 'HEAD' },
): Promise<Arrived> {
  let at = url;
  for (let redirects = 0; redirects <= most_redirects; redirects++) {
    const isHome = new URL(at).origin === new URL(url).origin;
    const headers: Record<string, string> =
      isHome && access !== undefined ? { authorization: `Bearer ${access.token}` } : {};
    const received = await receive(context, { url: at, method, headers });
    const next = redirectOf(received, at);
    if (next === undefined) return { ...received, url: at };
    at = next;
  }
  throw new DocumentUnreadable(`it redirects more than ${most_redirects} times`);
}

function redirectOf({ status, headers }: Received, at: string): string | undefined {
  if (![301, 302, 303, 307, 308].includes(status)) return undefined;
  const next = URL.parse(headers.get('location') ?? '//', at);
  if (next === null) throw new DocumentUnreadable('it redirects to no address');
  if (new URL(at).protocol === 'https:' && next.protocol !== 'https:')
    throw new DocumentUnreadable(`it redirects from https to ${next.protocol.slice(0, -1)}`);
  next.hash = '';
  return next.href;
}

/** RFC 9110, 8.8.2.2: a date proves nothing about a change in the same minute. */
function validatorOf(headers: Headers): string | undefined {
  const [etag, modified, now] = ['etag', 'last-modified', 'date'].map((name) => headers.get(name) ?? '');
  if (etag !== '') return etag;
  return Date.parse(now ?? '') - Date.parse(modified ?? '') >= 60_000 ? modified : undefined;
}

const typeOf = (url: string, headers: Headers) => ({
  media_type: mediaTypeOf(new URL(url).pathname, headers.get('content-type') ?? ''),
});

function refusal(status: number, access: Access): string {
  if (status === 404 || status === 410) return `nothing is there: it answers ${status}`;
  if (status !== 401 && status !== 403) return `it answers ${status}`;
  return access === undefined
    ? `it answers ${status}: give \`secret\` the name of a secret that opens it`
    : `it answers ${status}: the secret ${access.name} does not open it`;
}

async function accessOf(name: string | undefined, context: SourceContext): Promise<Access> {
  return name === undefined ? undefined : { name, token: await token(name, context) };
}

/** What it gives, or the reason for people why it does not. */
async function reasoned<T>(work: Promise<T>): Promise<{ value: T } | DocumentUnreadable> {
  try {
    return { value: await work };
  } catch (error) {
    if (error instanceof DocumentUnreadable) return error;
    throw error;
  }
}
