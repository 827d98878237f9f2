import { expect, test } from 'vitest';
import { readFilePart } from './file-part.ts';
import { contentWith } from './print-file-part.ts';
import { sizeOf, typesOf, whyNotOffered, whyNotTaken, whyTooMuch } from './taken-files.ts';

const types = ['image/png', 'application/pdf', 'text/*', 'image/jpeg', 'image/gif', 'image/webp'];
const taken = { types, max_bytes: 2048, max_files: 3, max_message_bytes: 4096 };
const why = (part: object, list = types) => {
  const file = readFilePart(part);
  if (file === undefined) throw new Error('the part is no file');
  return whyNotTaken(file, { ...taken, types: list });
};
const file = (media_type: string, bytes: string | Uint8Array, filename = 'a') => ({
  type: 'file',
  mime_type: media_type,
  base64: Buffer.from(bytes).toString('base64'),
  filename,
});
const png = Uint8Array.of(0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 0);
const jpeg = Uint8Array.of(0xff, 0xd8, 0xff, 0xe0);

test.each<[string, string | Uint8Array]>([
  ['image/png', png],
  ['image/jpeg', jpeg],
  ['image/gif', 'GIF89a'],
  ['image/webp', 'RIFF1234WEBP'],
  ['application/pdf', '%PDF-1.7'],
  ['application/pdf', `${'x'.repeat(900)}%PDF-1.7`],
  ['text/csv', 'a,b'],
  ['text/markdown; charset=utf-8', '# a'],
])('a file of the type %s is taken', (media_type, bytes) => {
  expect(why(file(media_type, bytes))).toBeUndefined();
});

test.each<[string, object, string]>([
  [
    'another type',
    file('image/tiff', 'II*', 'scan.tiff'),
    '"scan.tiff" is image/tiff. The agent takes image/png, application/pdf, text/*, image/jpeg, image/gif and image/webp.',
  ],
  ['a type that only begins like a listed one', file('image/pngx', png), '"a" is image/pngx. The agent takes'],
  ['no type', { type: 'image', base64: 'YQ==' }, 'A file (image) does not say one media type. The agent takes'],
  ['HTML as PNG', file('image/png', '<html>'), '"a" says that it is image/png, and its content is not.'],
  ['JPEG as PNG', file('image/png', jpeg), '"a" says that it is image/png, and its content is not.'],
  ['one byte as GIF', file('image/gif', 'G'), '"a" says that it is image/gif, and its content is not.'],
  ['a size', file('text/csv', 'x'.repeat(2049)), '"a" has 2 kB. A file has at most 2 kB.'],
  [
    'an address',
    { type: 'image_url', image_url: { url: 'https://example.com/a.png' } },
    'A file (image) is an address or an id. The agent takes files whose content is in the message.',
  ],
  ['two contents', { ...file('text/csv', 'a'), data: 'YQ==' }, '"a" has no content in base64, or two contents.'],
])('a file is refused for %s', (_, part, sentence) => {
  expect(why(part)).toContain(sentence);
});

test('an empty list takes nothing', () => {
  expect(why(file('image/png', png), [])).toBe('"a" is image/png. The agent takes no files.');
  expect(typesOf(['image/*'])).toBe('The agent takes image/*.');
});

test('a file that is offered is refused in the same words before it is read', () => {
  const offered = (media_type: string | undefined, bytes: number) =>
    whyNotOffered({ name: 'a\u202eb', media_type, bytes }, taken);
  expect(offered('text/csv', 1)).toBeUndefined();
  expect(offered('text/csv', 0)).toBe('"a b" is empty.');
  expect(offered('text/csv', 2049)).toBe('"a b" has 2 kB. A file has at most 2 kB.');
  expect(offered('image/tiff', 1)).toMatch(/^"a b" is image\/tiff. The agent takes /);
  expect(offered(undefined, 1)).toMatch(/^"a b" does not say one media type. The agent takes /);
});

test('a message has a number of files, and they have a size together', () => {
  expect(whyTooMuch([2048, 2048, 0], taken)).toBeUndefined();
  expect(whyTooMuch([1, 1, 1, 1], taken)).toBe('A message has at most 3 files, and this one has 4.');
  expect(whyTooMuch([2048, 2048, 1024], taken)).toBe(
    'The files of a message have at most 4 kB together, and these have 5 kB.',
  );
});

test('a message has its text first, and without files is a text', () => {
  const named = { name: 'a.png', media_type: 'image/png', base64: 'YQ==' };
  const part = { type: 'image', mime_type: 'image/png', base64: 'YQ==', extras: { filename: 'a.png' } };
  expect(contentWith('hi', [])).toBe('hi');
  expect(contentWith('hi', [named])).toEqual([{ type: 'text', text: 'hi' }, part]);
  expect(contentWith(' ', [named])).toEqual([part]);
});

test.each([
  [0, '0 B'],
  [1023, '1023 B'],
  [1536, '1.5 kB'],
  [5 * 1024 ** 2, '5 MB'],
])('%d bytes are %s', (bytes, shown) => {
  expect(sizeOf(bytes)).toBe(shown);
});
