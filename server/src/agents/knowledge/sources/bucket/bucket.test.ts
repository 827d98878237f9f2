import { knowledgeBase } from '@gantry/project/asset-config/knowledge-base.ts';
import { expect, test } from 'vitest';
import { answeringServer } from '../../../../testing/servers/answering-server.ts';
import { bucketServer } from '../../../../testing/servers/bucket-server.ts';
import { contentsOf, listAll, sourceContext } from '../../../../testing/sources/source-context.ts';
import { documentsOf } from '../documents-of.ts';

const config = (endpoint: string, more: object = {}) =>
  knowledgeBase.parse({ bucket: { name: 'docs', endpoint, secret: 'BUCKET', ...more } });
const context = (endpoint: string, key = 'an-id:a-key') =>
  sourceContext({ private_hosts: [new URL(endpoint).host], secrets: { BUCKET: key } });

test('objects below the prefix are listed by key over all pages, and read', async () => {
  const { url, key, put } = await bucketServer('docs');
  const keys = ['hr/a', 'hr/b.txt', 'hr/leave + days/été 100%.md', 'hr/z/'];
  for (const one of [...keys, 'other.md']) await put(one, `this is ${one}`);
  const listed = await listAll(documentsOf(config(url, { prefix: 'hr/' }), context(url, key)));
  expect(listed.map(({ path }) => path)).toEqual(keys.slice(0, 3));
  const leave = listed[2];
  if (leave === undefined || 'problem' in leave) throw new Error('it must be listed');
  expect(leave.media_type).toBe('text/markdown');
  expect(String(await leave.read())).toBe('this is hr/leave + days/été 100%.md');
});

test('a server that checks signatures gives its objects, and their marks change with their contents alone', async () => {
  const { url, key, put, checkSignatures } = await bucketServer('docs');
  await checkSignatures();
  for (const name of ['a.md', 'b/c.md', 'd.md']) await put(name, `one ${name}`);
  const documents = () => documentsOf(config(url), context(url, key));
  expect(await contentsOf(documents())).toEqual({ 'a.md': 'one a.md', 'b/c.md': 'one b/c.md', 'd.md': 'one d.md' });
  const marks = async () => (await listAll(documents())).map((one) => 'mark' in one && one.mark);
  const before = await marks();
  expect(new Set(before).size).toBe(3);
  await put('a.md', 'one a.md');
  expect(await marks()).toEqual(before);
  await put('a.md', 'another');
  const after = await marks();
  expect(after[0]).not.toBe(before[0]);
  expect(after.slice(1)).toEqual(before.slice(1));
});

test('T536: a bucket that cannot be listed ends the refresh, and the reason shows no key', async () => {
  const { url, key, checkSignatures } = await bucketServer('docs');
  await checkSignatures();
  const failing = async (secret: string, more: object = {}) =>
    await listAll(documentsOf(config(url, more), context(url, secret))).catch((error: unknown) => error);
  const { host } = new URL(url);
  const told = `The bucket docs at ${host} cannot be listed: `;
  expect(await failing(`${key}x`)).toMatchObject({
    code: 'source_failed',
    detail: `${told}it answers 403 (SignatureDoesNotMatch): the secret BUCKET does not open it.`,
  });
  expect(await failing('no-colon')).toMatchObject({
    code: 'source_failed',
    detail: `${told}the secret BUCKET is not <access key id>:<secret access key>.`,
  });
  expect(await failing(key, { name: 'other' })).toMatchObject({
    code: 'source_failed',
    detail: `The bucket other at ${host} cannot be listed: it answers 404 (NoSuchBucket).`,
  });
});

const listing = (inner: string) => `<?xml version="1.0"?><ListBucketResult>${inner}</ListBucketResult>`;
const object = (key: string, size = 1) => `<Contents><Key>${key}</Key><Size>${size}</Size><ETag>"1"</ETag></Contents>`;

test('T536: keys that no path may be, and objects that are too large, are named and the others are read', async () => {
  const url = await answeringServer(({ url: path = '' }, response) => {
    const keys = ['../up.md', 'a//b.md', 'line%0Abreak', '%00zero', 'folder/', 'fine.md'].map((key) => object(key));
    const body = listing(`<EncodingType>url</EncodingType>${keys.join('')}${object('large.md', 51 * 1024 ** 2)}`);
    response.end(path.includes('list-type') ? body : 'x'.repeat(3));
  });
  const contents = await contentsOf(documentsOf(config(url), context(url)));
  expect(contents['fine.md']).toBe('xxx');
  expect(contents['large.md']).toBe('it has more than 50 MB');
  expect(Object.keys(contents)).toHaveLength(6);
  expect(Object.values(contents).filter((said) => said.startsWith('its path must'))).toHaveLength(4);
});

test.each([
  ['no XML', 'hello', 'it answers with no list of a bucket'],
  [
    'entities that grow',
    '<?xml version="1.0"?><!DOCTYPE l [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;">]><ListBucketResult>&b;</ListBucketResult>',
    'it answers with no list of a bucket',
  ],
  [
    'a list without an end',
    listing('<IsTruncated>true</IsTruncated><NextContinuationToken>more</NextContinuationToken>'),
    'its list has more than 200 pages',
  ],
  ['no next page', listing('<IsTruncated>true</IsTruncated>'), 'its list has no way to the next page'],
])('T536: a server that answers with %s ends the refresh', async (_, body, said) => {
  const url = await answeringServer((__, response) => response.end(body));
  await expect(listAll(documentsOf(config(url), context(url)))).rejects.toMatchObject({
    code: 'source_failed',
    detail: `The bucket docs at ${new URL(url).host} cannot be listed: ${said}.`,
  });
});

test('T532: a request with a signature follows no redirect', async () => {
  const asked: string[] = [];
  const other = await answeringServer(({ url = '' }, response) => {
    asked.push(url);
    response.end(listing(''));
  });
  const url = await answeringServer((_, response) => response.writeHead(307, { location: other }).end());
  await expect(listAll(documentsOf(config(url), context(url)))).rejects.toMatchObject({ code: 'source_failed' });
  expect(asked).toEqual([]);
});
