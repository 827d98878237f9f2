// A client of one repository in a registry of images (OCI distribution spec 1.1): blobs by their digests, manifests by theirs. The password
// goes only to the registry itself, and to the token server that it names. All connections pass the checks of ground/outbound.
import { Problem } from '@gantry/contract/problems.ts';
import { isIPv4 } from 'node:net';
import type { Readable } from 'node:stream';
import { z } from 'zod';
import type { Outbound } from '../../ground/outbound/outbound.ts';

export interface Registry {
  /** `https://host[:port]` */
  url: string;
  /** `team/agents` */
  repository: string;
  /** Another repository of the registry that may have the base layers. They are mounted from it, and not sent. */
  mount_from?: string | undefined;
  credential?: { username: string; password: string } | undefined;
  outbound: Pick<Outbound, 'request'>;
}

export interface RegistryClient {
  /** The size of a blob. Undefined when the repository does not have it. */
  blobSize(digest: string): Promise<number | undefined>;
  /** True when the registry has the blob in the other repository and mounted it. */
  mountBlob(digest: string): Promise<boolean>;
  pushBlob(blob: { digest: string; size: number; open: () => Readable | Buffer }): Promise<void>;
  pushManifest(manifest: { digest: string; media_type: string; content: string }): Promise<void>;
}

interface Call {
  method: 'HEAD' | 'GET' | 'POST' | 'PUT';
  headers?: Record<string, string>;
  body?: Readable | Buffer | string;
}

type Answer = Awaited<ReturnType<Outbound['request']>>;

const small_bytes = 64_000;
const most_redirects = 3;

/** Each method throws `start_failed` with the registry's reason. */
export function registryClient(registry: Registry, signal: AbortSignal): RegistryClient {
  const { repository, mount_from } = registry;
  const origin = new URL(registry.url);
  if (registry.credential !== undefined && origin.protocol !== 'https:' && !isLoopback(origin))
    throw refused(registry, 'a password is sent over https only');
  const base = `${origin.origin}/v2/${repository}`;
  let authorization: string | undefined;

  async function send(url: URL, { headers, ...call }: Call): Promise<Answer> {
    // A registry may name an upload address on another host, with a permission in the address.
    const proof = url.origin === origin.origin && authorization !== undefined ? { authorization } : {};
    return await reach(registry, url, { ...call, headers: { ...headers, ...proof }, signal });
  }

  /** A call without a large body. The answer to a first refusal says how to authenticate. */
  async function call(address: string, request: Call): Promise<Answer> {
    const url = new URL(address, base);
    const answer = await send(url, request);
    if (answer.statusCode !== 401 || url.origin !== origin.origin) return answer;
    await answer.body.dump();
    authorization = await authorise(registry, text(answer.headers['www-authenticate']), signal);
    return await send(url, request);
  }

  async function begin(query: string): Promise<Answer> {
    return await call(`${base}/blobs/uploads/${query}`, { method: 'POST', headers: { 'content-length': '0' } });
  }

  async function upload(answer: Answer, { digest, size, open }: Parameters<RegistryClient['pushBlob']>[0]) {
    await answer.body.dump();
    const target = new URL(text(answer.headers.location), `${base}/`);
    target.searchParams.set('digest', digest);
    const headers = { 'content-type': 'application/octet-stream', 'content-length': String(size) };
    await expectStatus(await send(target, { method: 'PUT', headers, body: open() }), [201], `the layer ${digest}`);
  }

  return {
    blobSize: async (digest) => {
      let answer = await call(`${base}/blobs/${digest}`, { method: 'HEAD' });
      for (let count = 0; count < most_redirects && answer.statusCode >= 300 && answer.statusCode < 400; count++) {
        await answer.body.dump();
        answer = await send(new URL(text(answer.headers.location), base), { method: 'HEAD' });
      }
      if (answer.statusCode === 404) {
        await answer.body.dump();
        return undefined;
      }
      await expectStatus(answer, [200], `a question for ${digest}`);
      const size = Number(text(answer.headers['content-length']));
      return Number.isSafeInteger(size) && size > 0 ? size : undefined;
    },
    mountBlob: async (digest) => {
      if (mount_from === undefined) return false;
      const answer = await begin(`?mount=${digest}&from=${encodeURIComponent(mount_from)}`);
      // 202: it began an upload instead.
      await expectStatus(answer, [201, 202], `the mount of ${digest}`);
      return answer.statusCode === 201;
    },
    pushBlob: async (blob) => {
      const answer = await begin('');
      if (answer.statusCode !== 202) await expectStatus(answer, [202], 'an upload');
      await upload(answer, blob);
    },
    pushManifest: async ({ digest, media_type, content }) => {
      const headers = { 'content-type': media_type };
      const answer = await call(`${base}/manifests/${digest}`, { method: 'PUT', headers, body: content });
      await expectStatus(answer, [201], 'the manifest');
      const stored = text(answer.headers['docker-content-digest']);
      if (stored !== '' && stored !== digest) throw refused(registry, `it stored ${stored} for the manifest ${digest}`);
    },
  };

  async function expectStatus(answer: Answer, expected: number[], what: string): Promise<void> {
    if (expected.includes(answer.statusCode)) {
      await answer.body.dump();
      return;
    }
    throw refused(registry, `it answered ${answer.statusCode} to ${what}${await reasonIn(answer)}`);
  }
}

async function reach(
  registry: Registry,
  url: URL,
  options: Parameters<Outbound['request']>[1] & { signal: AbortSignal },
): Promise<Answer> {
  try {
    return await registry.outbound.request(url.href, options);
  } catch (error) {
    if (options.signal.aborted || !(error instanceof Error)) throw error;
    throw refused(registry, `no connection: ${error.message}`);
  }
}

/** As engines accept it: a registry of this machine needs no TLS. */
const isLoopback = ({ hostname }: URL) =>
  hostname === 'localhost' || hostname === '[::1]' || (isIPv4(hostname) && hostname.startsWith('127.'));

const challenge = /^(Basic|Bearer)\s*(.*)$/i;
const tokenAnswer = z.object({ token: z.string().optional(), access_token: z.string().optional() });

/** The value of the header for the way that the registry asks for (RFC 7235, and the token protocol of the distribution project). */
async function authorise(registry: Registry, header: string, signal: AbortSignal): Promise<string> {
  const [, scheme = '', rest = ''] = challenge.exec(header) ?? [];
  const basic =
    registry.credential === undefined
      ? undefined
      : `Basic ${Buffer.from(`${registry.credential.username}:${registry.credential.password}`).toString('base64')}`;
  if (scheme.toLowerCase() === 'basic') {
    if (basic === undefined) throw refused(registry, 'it requires a user name and a password');
    return basic;
  }
  if (scheme.toLowerCase() !== 'bearer') throw refused(registry, 'it asks for an unknown way to authenticate');
  const given = Object.fromEntries(
    [...rest.matchAll(/(?<!\w)(\w+)="([^"]*)"/g)].map(([, name = '', value = '']) => [name, value]),
  );
  const realm = URL.parse(given['realm'] ?? '');
  // The password must not leave in the clear because an answer says so.
  const isSafe = realm?.protocol === 'https:' || realm?.origin === new URL(registry.url).origin;
  if (realm === null || !isSafe) throw refused(registry, 'it names no safe address for tokens');
  if (given['service'] !== undefined) realm.searchParams.set('service', given['service']);
  for (const scope of scopes(registry)) realm.searchParams.append('scope', scope);
  const headers = basic === undefined ? {} : { authorization: basic };
  const answer = await reach(registry, realm, { method: 'GET', headers, signal });
  const found = answer.statusCode === 200 ? tokenAnswer.safeParse(await jsonOf(answer)) : undefined;
  const token = found?.data?.token ?? found?.data?.access_token;
  if (token === undefined) throw refused(registry, `its token server answered ${answer.statusCode}`);
  return `Bearer ${token}`;
}

/** Ours, and not the ones in the answer: an answer decides nothing about rights. */
function scopes({ repository, mount_from }: Registry): string[] {
  const own = `repository:${repository}:pull,push`;
  return mount_from === undefined ? [own] : [own, `repository:${mount_from}:pull`];
}

async function reasonIn(answer: Answer): Promise<string> {
  const found = z
    .object({ errors: z.array(z.object({ code: z.string(), message: z.string().optional() })) })
    .safeParse(await jsonOf(answer));
  const [first] = found.data?.errors ?? [];
  return first === undefined ? '' : `: ${(first.message ?? first.code).slice(0, 200)}`;
}

async function jsonOf({ body }: Answer): Promise<unknown> {
  let content = '';
  for await (const chunk of body) {
    content += String(chunk);
    if (content.length > small_bytes) return undefined;
  }
  try {
    return JSON.parse(content);
  } catch {
    return undefined;
  }
}

const text = (header: string | string[] | undefined): string => [header ?? ''].flat()[0] ?? '';

const refused = ({ url }: Registry, why: string) =>
  new Problem('start_failed', { detail: `The image cannot be pushed to ${new URL(url).host}: ${why}` });
