// The console's pages: static files that the service itself serves. A build is read into memory as a whole, so no path of a request
// becomes the path of a file, and two builds never mix. A page is made for each answer, with a nonce of its own.
import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { readdir, readFile, stat } from 'node:fs/promises';
import { extname, join } from 'node:path';
import type { Reply } from './answer/reply.ts';
import type { RequestHeaders } from './request/request-headers.ts';

export interface Console {
  /** The answer to a GET of a path without an endpoint; undefined where the console has nothing. */
  answer(path: string, headers: RequestHeaders): Promise<Reply | undefined>;
}

interface Pages {
  page: string;
  sign_in: string;
  /** By path; each as it is, and compressed by encoding. */
  files: ReadonlyMap<string, Record<string, Buffer>>;
}

const types: Record<string, string> = {
  '.css': 'text/css; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.json': 'application/json',
  '.svg': 'image/svg+xml',
  '.woff2': 'font/woff2',
};
const immutable = 'public, max-age=31536000, immutable';
// By preference. The build compresses each file with the first two.
const encodings = { br: '.br', gzip: '.gz', identity: '' };

/** Sign in, change the password, choose one with the token of a mail. */
const entrances = new Set(['/sign-in', '/change-password', '/set-password']);
/** A build writes it last. */
const mark = 'built';

/** The directory of a build; without a build, pages answer with the command that makes it. A new build is served from its end on. */
export async function openConsole(directory: string): Promise<Console> {
  let pages: Pages | undefined;
  let built_at: number | undefined;
  const readNewBuild = async () => {
    const at = await builtAt(directory);
    if (at === undefined || at === built_at) return;
    try {
      pages = await readPages(directory);
      built_at = at;
    } catch (error) {
      // The next build has begun and removed a file. It is read after its end.
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    }
  };
  await readNewBuild();
  return {
    answer: async (path, headers) => {
      if (/^\/(api|v1)(\/|$)/.test(path)) return undefined;
      const file = pages?.files.get(path);
      if (file !== undefined) return fileReply(path, file, headers.get('accept-encoding') ?? '');
      const isPage = !path.startsWith('/assets/') && /\btext\/html\b/.test(headers.get('accept') ?? '');
      if (!isPage) return undefined;
      await readNewBuild();
      return pages === undefined ? notBuilt() : pageReply(entrances.has(path) ? pages.sign_in : pages.page);
    },
  };
}

async function builtAt(directory: string): Promise<number | undefined> {
  const path = join(directory, mark);
  return existsSync(path) ? (await stat(path)).mtimeMs : undefined;
}

async function readPages(directory: string): Promise<Pages> {
  const names = await readdir(directory);
  const read = async (name: string) => await readFile(join(directory, name));
  const below = names.includes('assets') ? await readdir(join(directory, 'assets')) : [];
  const listed = new Set([
    ...names.filter((name) => name.startsWith('favicon.svg')),
    ...below.map((name) => `assets/${name}`),
  ]);
  const files = new Map<string, Record<string, Buffer>>();
  for (const name of listed) {
    if (types[extname(name)] === undefined) continue;
    const file: Record<string, Buffer> = {};
    for (const [encoding, ending] of Object.entries(encodings))
      if (listed.has(name + ending)) file[encoding] = await read(name + ending);
    files.set(`/${name}`, file);
  }
  return { page: String(await read('index.html')), sign_in: String(await read('sign-in.html')), files };
}

function fileReply(path: string, file: Record<string, Buffer>, accepted: string): Reply {
  const encoding = chooseEncoding(Object.keys(file), accepted);
  return {
    status: 200,
    headers: {
      'content-type': types[extname(path)] ?? '',
      'cache-control': path.startsWith('/assets/') ? immutable : 'no-cache',
      vary: 'accept-encoding',
      ...(encoding !== 'identity' && { 'content-encoding': encoding }),
    },
    body: file[encoding] ?? Buffer.alloc(0),
    security: securityHeaders(),
  };
}

/** The available encoding of the greatest weight, the preferred one among equals (RFC 9110, section 12.5.3). */
function chooseEncoding(available: readonly string[], accepted: string): string {
  const weights = new Map(
    accepted.split(',').map((part) => {
      const [name = '', ...parameters] = part.split(';').map((text) => text.trim().toLowerCase());
      const weight = parameters.find((text) => text.startsWith('q='))?.slice(2);
      return [name, weight === undefined ? 1 : Number(weight)];
    }),
  );
  const weightOf = (encoding: string) => weights.get(encoding) ?? weights.get('*') ?? 0;
  const wanted = Object.keys(encodings).filter((one) => available.includes(one) && weightOf(one) > 0);
  // Without a wanted one, the plain file is still an answer.
  return wanted.toSorted((one, other) => weightOf(other) - weightOf(one))[0] ?? 'identity';
}

function pageReply(text: string): Reply {
  const nonce = randomBytes(16).toString('base64url');
  return {
    status: 200,
    headers: { 'content-type': 'text/html; charset=utf-8' },
    body: text.replaceAll('__NONCE__', nonce),
    security: securityHeaders(nonce),
  };
}

function notBuilt(): Reply {
  return {
    status: 404,
    headers: { 'content-type': 'text/plain; charset=utf-8' },
    body: 'The console is not built. Build it: npm run build -w console. Then restart the service.\n',
    security: securityHeaders(),
  };
}

// Headers of pages, and of scripts: a worker's policy comes with its script.
function securityHeaders(nonce?: string): Record<string, string> {
  const policy = [
    "default-src 'none'",
    "script-src 'self'",
    `style-src 'self'${nonce === undefined ? '' : ` 'nonce-${nonce}'`}`,
    "connect-src 'self'",
    "img-src 'self' data:",
    "worker-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
    "require-trusted-types-for 'script'",
    'trusted-types gantry',
  ];
  return {
    'content-security-policy': policy.join('; '),
    'x-content-type-options': 'nosniff',
    'referrer-policy': 'no-referrer',
    'cross-origin-opener-policy': 'same-origin',
    'cross-origin-resource-policy': 'same-origin',
    'permissions-policy': 'camera=(), display-capture=(), geolocation=(), microphone=(), payment=(), usb=()',
  };
}
