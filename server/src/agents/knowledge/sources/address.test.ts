import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import { knowledgeBase } from '@gantry/project/asset-config/knowledge-base.ts';
import { expect, test } from 'vitest';
import { answeringServer } from '../../../testing/servers/answering-server.ts';
import { contentsOf, listAll, sourceContext } from '../../../testing/sources/source-context.ts';
import { documentsOf } from './documents-of.ts';

type Answers = Record<string, (response: ServerResponse, request: IncomingMessage) => void>;

const answering =
  (answers: Answers): RequestListener =>
  (request, response) => {
    const answer = answers[request.url ?? ''];
    if (answer === undefined) response.writeHead(404).end();
    else answer(response, request);
  };

async function site(answers: Answers) {
  const asked: { method: string; url: string; authorization: string | undefined }[] = [];
  const url = await answeringServer((request, response) => {
    asked.push({
      method: request.method ?? '',
      url: request.url ?? '',
      authorization: request.headers.authorization,
    });
    answering(answers)(request, response);
  });
  return { url, host: new URL(url).host, asked };
}

const base = (urls: string[], more: object = {}) =>
  knowledgeBase.parse({ documents: urls.map((url) => ({ url })), ...more });

const text =
  (body: string, headers: Record<string, string> = {}): Answers[string] =>
  (response) =>
    response.writeHead(200, { 'content-type': 'text/plain; charset=utf-8', ...headers }).end(body);

test('a document at an address is listed with its type and mark, and read only when somebody asks', async () => {
  const { url, host, asked } = await site({ '/tea': text('Tea is hot.', { etag: '"1"' }) });
  const config = knowledgeBase.parse({
    documents: [
      { title: 'Written', text: 'here' },
      { title: 'Tea', url: `${url}/tea`, readers: ['team:ml'] },
    ],
  });
  const [, one] = await listAll(documentsOf(config, sourceContext({ private_hosts: [host] })));
  if (one === undefined || 'problem' in one) throw new Error('it must be listed');
  const { path, title, media_type, readers, mark } = one;
  expect({ path, title, media_type, readers }).toEqual({
    path: `${url}/tea`,
    title: 'Tea',
    media_type: 'text/plain',
    readers: ['team:ml'],
  });
  expect(mark).toMatch(/^[0-9a-f]{64}$/);
  expect(asked.map(({ method }) => method)).toEqual(['HEAD']);
  expect(String(await one.read())).toBe('Tea is hot.');
});

test('the mark changes with the ETag and with an old enough date, and is missing without a proof', async () => {
  let etag = '"1"';
  const date = 'Sun, 01 Nov 2026 10:00:00 GMT';
  const { url, host } = await site({
    '/etag': (response, request) => text('a', { etag })(response, request),
    '/old': text('b', { date, 'last-modified': 'Sun, 01 Nov 2026 09:00:00 GMT' }),
    '/fresh': text('c', { date, 'last-modified': 'Sun, 01 Nov 2026 09:59:59 GMT' }),
    '/none': text('d'),
  });
  const config = base(['/etag', '/old', '/fresh', '/none'].map((path) => url + path));
  const marks = async () =>
    (await listAll(documentsOf(config, sourceContext({ private_hosts: [host] })))).map((one) =>
      'mark' in one ? one.mark : undefined,
    );
  const before = await marks();
  expect(before.map((mark) => mark !== undefined)).toEqual([true, true, false, false]);
  expect(await marks()).toEqual(before);
  etag = '"2"';
  const after = await marks();
  expect(after[0]).not.toBe(before[0]);
  expect(after.slice(1)).toEqual(before.slice(1));
});

test('a server that answers no HEAD is read at once, and its answer says the type', async () => {
  const { url, host } = await site({
    '/page': (response, request) =>
      request.method === 'HEAD' ? response.writeHead(405).end() : text('all of it')(response, request),
  });
  const [one] = await listAll(documentsOf(base([`${url}/page`]), sourceContext({ private_hosts: [host] })));
  expect(one).toMatchObject({ media_type: 'text/plain' });
  expect(one !== undefined && 'read' in one && String(await one.read())).toBe('all of it');
});

test('T532: the secret goes to the host of the address, and to no host that it redirects to', async () => {
  const other = await site({ '/there': text('moved') });
  const { url, host, asked } = await site({
    '/here': (response) => response.writeHead(302, { location: '/near' }).end(),
    '/near': (response) => response.writeHead(302, { location: `${other.url}/there` }).end(),
  });
  const context = sourceContext({ private_hosts: [host, other.host], secrets: { DOCS: 'a-token' } });
  expect(await contentsOf(documentsOf(base([`${url}/here`], { secret: 'DOCS' }), context))).toEqual({
    [`${url}/here`]: 'moved',
  });
  expect(new Set(asked.map(({ authorization }) => authorization))).toEqual(new Set(['Bearer a-token']));
  expect(other.asked.map(({ authorization }) => authorization)).toEqual([undefined, undefined]);
});

test('T533: an address, or a redirect, to a private network is not followed, and the other documents are read', async () => {
  const inside = await site({ '/metadata': text('a credential') });
  const { url, host } = await site({
    '/trap': (response) => response.writeHead(302, { location: `${inside.url}/metadata` }).end(),
    '/fine': text('public'),
  });
  const config = base([`${url}/trap`, `${inside.url}/metadata`, `${url}/fine`]);
  const contents = await contentsOf(documentsOf(config, sourceContext({ private_hosts: [host] })));
  expect(contents[`${url}/fine`]).toBe('public');
  for (const refused of [`${url}/trap`, `${inside.url}/metadata`])
    expect(contents[refused]).toContain(`svc server set OUTBOUND_PRIVATE_HOSTS+=${inside.host}`);
  expect(inside.asked).toEqual([]);
});

test('T535: an answer without an end is cut, and each failure is a sentence about its own path', async () => {
  const large = String(51 * 1024 * 1024);
  const { url, host } = await site({
    '/closed': (response) => response.writeHead(403).end(),
    '/broken': (response) => response.writeHead(500).end(),
    '/round': (response) => response.writeHead(302, { location: '/round' }).end(),
    '/nowhere': (response) => response.writeHead(302).end(),
    '/declared': text('', { 'content-length': large }),
    '/endless': (response, request) => {
      response.writeHead(200);
      if (request.method === 'HEAD') return response.end();
      const more = () => {
        while (!response.destroyed && response.write(Buffer.alloc(1 << 20)));
      };
      response.on('drain', more);
      more();
    },
    '/packed': text('x', { 'content-encoding': 'gzip' }),
  });
  const paths = ['closed', 'broken', 'gone', 'round', 'nowhere', 'declared', 'endless', 'packed'];
  const config = base([...paths.map((path) => `${url}/${path}`), 'http://127.0.0.1:1/']);
  const contents = await contentsOf(documentsOf(config, sourceContext({ private_hosts: [host, '127.0.0.1:1'] })));
  expect(Object.entries(contents).map(([path, said]) => [path.replace(`${url}/`, ''), said])).toEqual([
    ['closed', 'it answers 403: give `secret` the name of a secret that opens it'],
    ['broken', 'it answers 500'],
    ['gone', 'nothing is there: it answers 404'],
    ['round', 'it redirects more than 5 times'],
    ['nowhere', 'it redirects to no address'],
    ['declared', 'it has more than 50 MB'],
    ['endless', 'it has more than 50 MB'],
    ['packed', 'it comes compressed, although nobody asked for that'],
    ['http://127.0.0.1:1/', 'nothing listens at 127.0.0.1:1'],
  ]);
});

test('a secret that is not set, or is no token, is the problem of each address', async () => {
  const { url, host, asked } = await site({ '/tea': text('tea') });
  const config = base([`${url}/tea`], { secret: 'DOCS' });
  const said = async (secrets: Record<string, string>) =>
    Object.values(await contentsOf(documentsOf(config, sourceContext({ private_hosts: [host], secrets }))));
  expect(await said({})).toEqual(['the secret DOCS is not set']);
  expect(await said({ DOCS: 'a\r\nb: c' })).toEqual([
    'the secret DOCS has a character that no token has, such as a space',
  ]);
  expect(asked).toEqual([]);
});

test('a refresh that ends takes its requests with it', async () => {
  const ended = new AbortController();
  const { url, host } = await site({ '/slow': () => ended.abort(new Error('the refresh has ended')) });
  const context = sourceContext({ private_hosts: [host], signal: ended.signal });
  await expect(listAll(documentsOf(base([`${url}/slow`]), context))).rejects.toThrow('the refresh has ended');
});
