import fc from 'fast-check';
import { expect, test } from 'vitest';
import { cutChunks, type Chunk } from './cut-chunks.ts';

const cut = (text: string, chunk_size = 120, chunk_overlap = 0) => cutChunks(text, { chunk_size, chunk_overlap });
const shown = (chunks: readonly Chunk[]) => chunks.map(({ headings, text }) => [headings.join(' > '), text]);
const rows = (count: number) => Array.from({ length: count }, (_, n) => `| animal ${n} | in the garden |`);
const table = (count: number) => ['| animal | sleeps |', '| --- | --- |', ...rows(count)].join('\n');

test('each later part of a long table has the head row as its last heading, and whole rows', () => {
  const chunks = cut(`# Animals\n\nWhere they sleep.\n\n${table(20)}\n\nThat is all.`);
  expect(chunks[0]).toMatchObject({ headings: ['Animals'], text: '# Animals\n\nWhere they sleep.' });
  expect(chunks[1]?.text).toMatch(/^\| animal \| sleeps \|\n\| --- \| --- \|\n\| animal 0/);
  expect(chunks[1]?.headings).toEqual(['Animals']);
  const later = chunks.slice(2);
  expect(later.length).toBeGreaterThan(3);
  for (const { headings, text } of later) {
    expect(headings).toEqual(['Animals', 'animal | sleeps']);
    for (const row of text.split('\n').filter((line) => line.startsWith('|')))
      expect(row).toMatch(/^\| animal \d+ \| in the garden \|$/);
  }
});

test('the overlap of two parts of a table, or of code, is of whole lines', () => {
  const chunks = cut(table(20), 200, 50);
  for (const { text } of chunks.slice(1)) expect(text).toMatch(/^\| animal \d+ \|/);
  const repeated = chunks.flatMap(({ text }) => text.split('\n'));
  expect(repeated.length).toBeGreaterThan(new Set(repeated).size);
});

test('a table and code stay whole where they fit, whatever stands before them', () => {
  const words = 'Some words about it. '.repeat(5).trim();
  const code = '```\n# no heading\nrun()\n\nstop()\n```';
  for (const block of [table(2), code])
    for (const between of ['\n', '\n\n'])
      expect(cut(`${words}${between}${block}`).map(({ text }) => text)).toEqual([words, block]);
  expect(cut(`${words.slice(0, 20)}\n${code}`)).toHaveLength(1);
});

test('a longer fence holds a shorter one, and what stands in code is no heading', () => {
  const code = '````\n```\n# no heading\n```\n````';
  expect(shown(cut(`# One\n\n${code}\n\n# Two\n\nText.`))).toEqual([
    ['One', `# One\n\n${code}`],
    ['Two', '# Two\n\nText.'],
  ]);
  expect(shown(cut('```code``` in a line\n\n# Two\n\nText.')).at(-1)?.[0]).toBe('Two');
});

test('a line under a title makes a heading; under a list, a table or two lines it does not', () => {
  expect(shown(cut('Title\n=====\n\nIntro.\n\nPart\n---\nText.\n\n# Other\n\nEnd.'))).toEqual([
    ['Title', 'Title\n=====\n\nIntro.'],
    ['Title > Part', 'Part\n---\nText.'],
    ['Other', '# Other\n\nEnd.'],
  ]);
  for (const text of [
    '- item\n---\nmore',
    'two\nlines\n---\nmore',
    '---\ntitle: it\nby: me\n---\nmore',
    '1. item\n---\n',
  ])
    expect(cut(text).map(({ headings }) => headings)).toEqual([[]]);
});

test('chunks are of one section, and a heading stays with the first part below it', () => {
  expect(shown(cut('# One\n\n## A\n\nFirst.\n\n## B\n\nSecond.\n\n# Empty\n\n# Two\n\nThird.'))).toEqual([
    ['One > A', '# One\n\n## A\n\nFirst.'],
    ['One > B', '## B\n\nSecond.'],
    ['Empty', '# Empty'],
    ['Two', '# Two\n\nThird.'],
  ]);
});

test('an overlap of nearly the whole chunk does not cut a text into characters', () => {
  expect(cut('word '.repeat(1000), 100, 99).length).toBeLessThan(250);
});

test('whatever the text is, chunks are its exact bytes, none is too long, and nothing but space is left out', () => {
  const piece = fc.constantFrom(
    '# A\n',
    '## B\n',
    'Title\n',
    '===\n',
    '---\n',
    '| a | b |\n',
    '|---|---|\n',
    '```\n',
    '````\n',
    '~~~\n',
    '\n',
    'word ',
    'a sentence. ',
    '🙂',
    'ä',
    '\n',
    ' ',
    '\t',
    '|',
    'x'.repeat(60),
    '\r\n',
    '- item\n',
  );
  const sizes = fc.record({ chunk_size: fc.integer({ min: 50, max: 200 }), chunk_overlap: fc.nat(60) });
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 80 }), sizes, (pieces, { chunk_size, chunk_overlap }) => {
      const text = pieces.join('');
      const bytes = Buffer.from(text);
      const chunks = cutChunks(text, { chunk_size, chunk_overlap: Math.min(chunk_overlap, chunk_size - 1) });
      const covered = new Uint8Array(bytes.length);
      for (const { start, end, text: passage } of chunks) {
        expect(bytes.subarray(start, end).toString()).toBe(passage);
        expect(passage.length).toBeLessThanOrEqual(chunk_size);
        covered.fill(1, start, end);
      }
      const left = Buffer.from(bytes.filter((_, at) => covered[at] === 0)).toString();
      expect(left.trim()).toBe('');
    }),
    { numRuns: 1000 },
  );
});
