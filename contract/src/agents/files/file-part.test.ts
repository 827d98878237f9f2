import { expect, test } from 'vitest';
import { readFilePart } from './file-part.ts';
import { inLangchainForm, printFilePart } from './print-file-part.ts';

const png = 'iVBORw0KGgo=';
const url = `data:image/png;base64,${png}`;

test.each<[string, object]>([
  ['langchain 1', { type: 'image', mime_type: 'image/png', base64: png }],
  ['langchain 0', { type: 'image', source_type: 'base64', mime_type: 'image/png', data: png }],
  ['OpenAI, Chat Completions', { type: 'image_url', image_url: { url } }],
  ['OpenAI, Chat Completions, in short', { type: 'image_url', image_url: url }],
  ['OpenAI, Responses', { type: 'input_image', image_url: url }],
  ['Anthropic', { type: 'image', source: { type: 'base64', media_type: 'image/png', data: png } }],
  ['AG-UI', { type: 'image', source: { type: 'data', mimeType: 'image/png', value: png } }],
  ['the AI SDK', { type: 'image', image: png, mediaType: 'image/png' }],
  ['Gemini', { inlineData: { mimeType: 'image/png', data: png } }],
  ['a type with parameters', { type: 'file', mime_type: 'Image/PNG; q=1', base64: png }],
])('a picture is read in the form of %s', (_, part) => {
  expect(readFilePart(part)).toMatchObject({ media_type: 'image/png', base64: png, is_elsewhere: false });
});

test.each<[string, object]>([
  [
    'OpenAI, Chat Completions',
    { type: 'file', file: { filename: 'a.pdf', file_data: `data:application/pdf;base64,JVBERi0=` } },
  ],
  ['OpenAI, Responses', { type: 'input_file', filename: 'a.pdf', file_data: 'data:application/pdf;base64,JVBERi0=' }],
  [
    'Anthropic',
    { type: 'document', title: 'a.pdf', source: { type: 'base64', media_type: 'application/pdf', data: 'JVBERi0=' } },
  ],
  ['this service', printFilePart({ name: 'a.pdf', media_type: 'application/pdf', base64: 'JVBERi0=' })],
])('a document is read in the form of %s', (_, part) => {
  expect(readFilePart(part)).toEqual({
    kind: 'file',
    name: 'a.pdf',
    media_type: 'application/pdf',
    base64: 'JVBERi0=',
    is_elsewhere: false,
  });
});

test('a sound of OpenAI has the type of its format', () => {
  const part = { type: 'input_audio', input_audio: { data: 'SUQz', format: 'mp3' } };
  expect(readFilePart(part)).toMatchObject({ kind: 'audio', media_type: 'audio/mpeg', base64: 'SUQz' });
});

test.each<[string, unknown]>([
  ['a text', { type: 'text', text: 'hello' }],
  ['a call of a tool', { type: 'tool_use', id: 'a', name: 'b', input: {} }],
  ['a document that is written out', { type: 'text-plain', mime_type: 'text/plain', text: 'hello' }],
  ['one of Anthropic', { type: 'document', source: { type: 'text', media_type: 'text/plain', data: 'hello' } }],
  ['one in parts', { type: 'document', source: { type: 'content', content: [] } }],
  ['a text alone', 'image'],
  ['nothing', null],
])('%s is no file', (_, part) => {
  expect(readFilePart(part)).toBeUndefined();
});

test.each<[string, object]>([
  ['an address', { type: 'image_url', image_url: { url: 'https://example.com/a.png' } }],
  ['an address of a bucket', { type: 'media', mime_type: 'image/png', file_uri: 'gs://bucket/a.png' }],
  ['an id of AG-UI', { type: 'document', source: { type: 'file', value: 'abcd', mimeType: 'image/png' } }],
  ['an id', { type: 'file', file: { file_id: 'file-1' } }],
])('%s is a file that is elsewhere', (_, part) => {
  expect(readFilePart(part)).toMatchObject({ base64: undefined, is_elsewhere: true });
});

// Libraries disagree on which of two members counts.
test.each<[string, object]>([
  ['two contents', { type: 'image', mime_type: 'image/png', base64: png, url: 'data:text/html;base64,PGI+' }],
  ['a content and an address', { type: 'image', mime_type: 'image/png', base64: png, url: 'https://example.com/' }],
  ['a content and an id', { type: 'image', mime_type: 'image/png', base64: png, file_id: 'file-1' }],
  ['no content', { type: 'image', mime_type: 'image/png' }],
  ['a content that is no base64', { type: 'image', mime_type: 'image/png', base64: '<b>' }],
  ['an address with text in it', { type: 'image', mime_type: 'image/png', url: 'data:image/png,hello' }],
  ['a text beside its content', { type: 'text-plain', mime_type: 'text/plain', text: 'a', base64: png, data: png }],
])('a part with %s has none', (_, part) => {
  expect(readFilePart(part)).toMatchObject({ base64: undefined, is_elsewhere: false });
});

test('a part with two types has none', () => {
  expect(readFilePart({ type: 'image', mime_type: 'image/png', url: 'data:text/html;base64,PGI+' })).toMatchObject({
    media_type: undefined,
    base64: 'PGI+',
  });
});

test('a name has no character that hides or turns around a part of it', () => {
  const part = { type: 'file', mime_type: 'text/plain', base64: 'YQ==', filename: `\u202etxt.\nb${'x'.repeat(100)}` };
  expect(readFilePart(part)?.name).toBe(`txt. b${'x'.repeat(73)}…`);
});

test('a file that is read has the form of langchain, and any other part stays as it is', () => {
  const audio = { type: 'input_audio', input_audio: { data: 'SUQz', format: 'wav' } };
  expect(inLangchainForm(audio)).toEqual({ type: 'audio', mime_type: 'audio/wav', base64: 'SUQz' });
  const csv = { type: 'file', file: { filename: 'a.csv', file_data: 'data:text/csv;base64,YSxi' } };
  const named = { extras: { filename: 'a.csv' } };
  expect(inLangchainForm(csv)).toEqual({ type: 'file', mime_type: 'text/csv', base64: 'YSxi', ...named });
  for (const part of [
    { type: 'file', file: { file_id: 'file-1' } },
    { type: 'text', text: 'a' },
  ])
    expect(inLangchainForm(part)).toBe(part);
});
