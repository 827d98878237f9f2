import { mkdir, mkdtemp, rm, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { brotliCompressSync, brotliDecompressSync, gunzipSync, gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ask } from '../../testing/browser.ts';
import { testApp, type TestApp } from '../../testing/test-app.ts';

const script = 'export const greeting = "hello";\n'.repeat(100);
const page = '<!doctype html><meta property="csp-nonce" nonce="__NONCE__"><style nonce="__NONCE__"></style>';
const html = { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' };
let folder: string;
let app: TestApp;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'gantry-console-'));
  const dist = join(folder, 'dist');
  await mkdir(join(dist, 'assets'), { recursive: true });
  await writeFile(join(folder, 'secret.js'), 'a file outside the build');
  await writeFile(join(dist, 'index.html'), `${page}the console`);
  await writeFile(join(dist, 'sign-in.html'), `${page}the sign-in`);
  await writeFile(join(dist, 'favicon.svg'), '<svg xmlns="http://www.w3.org/2000/svg"/>');
  await writeFile(join(dist, 'assets/app-1a2b.js'), script);
  await writeFile(join(dist, 'assets/app-1a2b.js.br'), brotliCompressSync(script));
  await writeFile(join(dist, 'assets/app-1a2b.js.gz'), gzipSync(script));
  await writeFile(join(dist, 'assets/app-1a2b.css'), 'body {}');
  await writeFile(join(dist, 'built'), '');
  app = await testApp({ console_dir: dist });
  await writeFile(join(dist, 'assets/later.js'), 'a file of a later build');
});
afterAll(async () => {
  await app?.stop();
  await rm(folder, { recursive: true, force: true });
});

const read = async (path: string, headers: Record<string, string> = {}, method = 'GET') =>
  await ask(app.url, path, { headers, method });
const nonceOf = (policy: string | undefined) => /'nonce-([\w-]{22})'/.exec(policy ?? '')?.[1] ?? '';

describe('pages:', () => {
  test.each(['/', '/agents/greeter', '/approvals/17?tab=difference', '/sign-in/x', '/apiary'])(
    '%s is the console',
    async (path) => {
      const { status, headers, body } = await read(path, html);
      expect([status, headers['content-type']]).toEqual([200, 'text/html; charset=utf-8']);
      expect(String(body)).toContain('the console');
    },
  );

  test.each(['/sign-in', '/sign-in?next=/agents', '/change-password', '/set-password'])(
    '%s is a page before the console',
    async (path) => expect(String((await read(path, html)).body)).toContain('the sign-in'),
  );

  test('a new build is served from its end on, as a whole', async () => {
    const dist = join(folder, 'rebuilt');
    const build = async (text: string) => {
      for (const name of ['index.html', 'sign-in.html']) await writeFile(join(dist, name), text);
    };
    await mkdir(dist);
    await build('the first build');
    await writeFile(join(dist, 'built'), '');
    const rebuilt = await testApp({ console_dir: dist });
    const shown = async () => String((await ask(rebuilt.url, '/', { headers: html })).body);
    try {
      await build('the second build');
      expect(await shown()).toBe('the first build');
      await utimes(join(dist, 'built'), new Date(), new Date());
      expect(await shown()).toBe('the second build');
      await rm(join(dist, 'sign-in.html'));
      await utimes(join(dist, 'built'), new Date(), new Date(Date.now() + 1000));
      expect(await shown()).toBe('the second build');
    } finally {
      await rebuilt.stop();
    }
  });

  test('each answer has a nonce of its own, in the page and in its policy', async () => {
    const nonces = [];
    for (const path of ['/', '/', '/sign-in']) {
      const { headers, body } = await read(path, html);
      const nonce = nonceOf(headers['content-security-policy'] as string);
      expect(String(body).split(`nonce="${nonce}"`)).toHaveLength(3);
      expect(String(body)).not.toContain('__NONCE__');
      nonces.push(nonce);
    }
    expect(new Set(nonces).size).toBe(3);
  });

  test('a page runs only the service’s own scripts, in no frame, and is not stored', async () => {
    const { headers } = await read('/', html);
    const policy = headers['content-security-policy'] as string;
    expect(policy.replace(nonceOf(policy), '…')).toBe(
      "default-src 'none'; script-src 'self'; style-src 'self' 'nonce-…'; connect-src 'self'; img-src 'self' data:; " +
        "worker-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; " +
        "require-trusted-types-for 'script'; trusted-types gantry",
    );
    expect(headers).toMatchObject({
      'cache-control': 'no-store',
      'x-content-type-options': 'nosniff',
      'referrer-policy': 'no-referrer',
      'cross-origin-opener-policy': 'same-origin',
      'permissions-policy': expect.stringContaining('camera=()') as string,
    });
    expect(headers['set-cookie']).toBeUndefined();
  });

  test('HEAD has the head of the page', async () => {
    const { status, headers, body } = await read('/', html, 'HEAD');
    expect([status, headers['content-type'], body.length]).toEqual([200, 'text/html; charset=utf-8', 0]);
  });

  test.each([
    ['/agents/greeter', { accept: '*/*' }, 'GET'],
    ['/agents/greeter', { accept: 'application/json' }, 'GET'],
    ['/agents/greeter', {}, 'GET'],
    ['/agents/greeter', html, 'POST'],
    ['/api/v1/nothing', html, 'GET'],
    ['/api', html, 'GET'],
    ['/assets/nothing.js', html, 'GET'],
  ])('%s with %o and %s is a problem document', async (path, headers, method) => {
    const answered = await read(path, headers, method);
    expect([answered.status, answered.headers['content-type']]).toEqual([404, 'application/problem+json']);
    expect(answered.headers['content-security-policy']).toContain('sandbox');
  });

  test('an unknown path of the models is an error in the form of their vendors', async () => {
    const { status, headers } = await read('/v1/nothing', html);
    expect([status, headers['content-type']]).toEqual([404, 'application/json']);
  });

  test('a path of an endpoint stays with the endpoint', async () => {
    expect((await read('/livez', html)).headers['content-type']).toBe('application/json');
    expect((await read('/agents/greeter/invoke', html)).status).toBe(405);
  });
});

describe('files:', () => {
  test('a file of the build is cached for ever, with its type', async () => {
    const { status, headers, body } = await read('/assets/app-1a2b.js');
    expect([status, String(body)]).toEqual([200, script]);
    expect(headers).toMatchObject({
      'content-type': 'text/javascript; charset=utf-8',
      'cache-control': 'public, max-age=31536000, immutable',
      vary: 'accept-encoding',
      'x-content-type-options': 'nosniff',
      'cross-origin-resource-policy': 'same-origin',
    });
    expect((await read('/assets/app-1a2b.css')).headers['content-type']).toBe('text/css; charset=utf-8');
    expect((await read('/favicon.svg')).headers).toMatchObject({
      'content-type': 'image/svg+xml',
      'cache-control': 'no-cache',
    });
  });

  const plain = (body: Buffer) => body;
  test.each([
    ['gzip, deflate, br, zstd', 'br', brotliDecompressSync],
    ['BR', 'br', brotliDecompressSync],
    ['br;q=0.5, gzip', 'gzip', gunzipSync],
    ['br;q=0, *', 'gzip', gunzipSync],
    ['gzip;q=0.2,identity;q=0.1', 'gzip', gunzipSync],
    ['*', 'br', brotliDecompressSync],
    ['gzip;q=0.5, identity', undefined, plain],
    ['br;q=0, gzip;q=0', undefined, plain],
    ['identity;q=0', undefined, plain],
    ['deflate', undefined, plain],
    ['br;q=x', undefined, plain],
    ['', undefined, plain],
  ])('Accept-Encoding `%s` gets %s', async (accepted, encoding, decode) => {
    const { headers, body } = await read('/assets/app-1a2b.js', { 'accept-encoding': accepted });
    expect([headers['content-encoding'], String(decode(body))]).toEqual([encoding, script]);
  });

  test('a file without a compressed copy is sent as it is', async () => {
    const { headers, body } = await read('/assets/app-1a2b.css', { 'accept-encoding': 'br' });
    expect([headers['content-encoding'], String(body)]).toEqual([undefined, 'body {}']);
  });

  test.each([
    '/assets/../../secret.js',
    '/assets/%2e%2e/%2e%2e/secret.js',
    '/assets/..%2f..%2fsecret.js',
    '/assets/..%5csecret.js',
    '/assets/..\\..\\secret.js',
    '/assets//app-1a2b.js',
    '/assets/./app-1a2b.js',
    '/assets/app-1a2b.js%00',
    '/assets/app-1a2b.js;x',
    '/assets/%252e%252e/secret.js',
  ])('%s is refused', async (path) => {
    expect((await read('/assets/app-1a2b.js')).status).toBe(200);
    expect((await read(path, html)).status).toBe(400);
  });

  test.each([
    '/assets/',
    '/assets/APP-1a2b.js',
    '/assets/app-1a2b%2Ejs',
    '/assets/%61pp-1a2b.js',
    '/assets/app-1a2b.js.br',
    '/assets/later.js',
    '/assets/constructor',
    '/assets/__proto__',
  ])('%s is no file of the build', async (path) => {
    expect((await read(path, html)).status).not.toBe(200);
  });
});

test('without a build, a page says the command that makes it', async () => {
  const bare = await testApp({ console_dir: join(folder, 'nothing') });
  try {
    const { status, headers, body } = await ask(bare.url, '/', { headers: html });
    expect([status, headers['content-type']]).toEqual([404, 'text/plain; charset=utf-8']);
    expect(String(body)).toContain('npm run build -w console');
    expect((await ask(bare.url, '/assets/app-1a2b.js')).headers['content-type']).toBe('application/problem+json');
  } finally {
    await bare.stop();
  }
});

test('a process without the role api serves no page', async () => {
  const gateway = await app.another({ roles: ['gateway'] });
  const { status, headers } = await ask(gateway.url, '/', { headers: html });
  expect([status, headers['content-type']]).toEqual([404, 'application/problem+json']);
  expect((await ask(gateway.url, '/assets/app-1a2b.js')).status).toBe(404);
});
