import { finished } from 'node:stream/promises';
import { expect, test } from 'vitest';
import { lineSplitter } from './lines.ts';

test('lines survive chunk ends at any byte, also within a character', async () => {
  const lines: string[] = [];
  const { stream, text } = lineSplitter({ keep_bytes: 100, onLine: (line) => lines.push(line) });
  const bytes = Buffer.from('grüße\r\nzwei\n\ndrei');
  for (const byte of bytes) stream.write(Buffer.from([byte]));
  stream.end();
  await finished(stream);
  expect(lines).toEqual(['grüße', 'zwei', '', 'drei']);
  expect(text()).toBe('grüße\r\nzwei\n\ndrei');
});

test('only the end of endless output is kept, and an endless line is cut', async () => {
  const lines: string[] = [];
  const { stream, text } = lineSplitter({ keep_bytes: 10, onLine: (line) => lines.push(line) });
  stream.end('a'.repeat(40_000));
  await finished(stream);
  expect(text()).toBe('a'.repeat(10));
  expect(lines.map((line) => line.length)).toEqual([16_384, 16_384, 40_000 - 2 * 16_384]);
});
