// Every regular expression of server and contract on 100 kB of text that makes expressions slow. Most expressions only get short text, but
// the limit is in other files and can change.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';

const root = join(import.meta.dirname, '../..');
const size = 100_000;
const max_ms = 50;

const literal =
  /(?<=(?:^|[=(,:?!&|[{;]|\breturn)\s{0,80})\/(?![*/])((?:\\.|\[(?:\\.|[^\]\\\n])*\]|[^/\\\n[])+)\/([dgimsuvy]*)(?=\s{0,80}[.,;)\]}:]|$)/gm;

const sources = ['contract/src', 'project/src', 'server/src'].flatMap((part) =>
  readdirSync(join(root, part), { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts') && !file.endsWith('.test.ts') && !file.startsWith('testing/'))
    .map((file) => join(part, file)),
);
const expressions = sources.flatMap((file) =>
  [...readFileSync(join(root, file), 'utf8').matchAll(literal)].map(([written, pattern = '', flags = '']) => ({
    written: `${file}: ${written}`,
    expression: new RegExp(pattern, flags.includes('g') ? flags : `${flags}g`),
  })),
);

const atoms = [
  ...Array.from('aA0-._ \t\n"\'/@:[({=#,%<;\\é'),
  '\\"',
  'a.',
  '1.',
  '-a',
  '--',
  '../',
  './',
  'x/',
  'a@',
  '\u0000',
];
const hostile = atoms.flatMap((atom) => {
  const many = atom.repeat(size / atom.length);
  return [`${many}\u0001`, `a${many}\u0001`, `"${many}`, `0${many}!`, `[${many}`];
});

test('the test finds the expressions', () => {
  expect(expressions.length).toBeGreaterThan(100);
});

test('no expression takes longer than 50 ms on 100 kB of any text', { timeout: 120_000 }, () => {
  const slow = expressions.flatMap(({ written, expression }) => {
    // The start of a text first: quadratic time would not end on the whole text. Five times the text takes 25 times as long at quadratic
    // growth. So where a fifth takes a fiftieth of the limit, the whole text is not needed.
    const text = hostile.find(
      (one) =>
        isSlow(expression, one.slice(0, size / 20), max_ms / 5) ||
        (isSlow(expression, one.slice(0, size / 5), max_ms / 50) && isSlow(expression, one, max_ms)),
    );
    return text === undefined ? [] : [`${written} over ${JSON.stringify(text.slice(0, 6))}…`];
  });
  expect(slow).toEqual([]);
});

/** Repeated measurements, because another program can have had the processor. */
function isSlow(expression: RegExp, text: string, limit_ms: number): boolean {
  for (let attempt = 0; attempt < 3; attempt++) {
    const started = performance.now();
    text.replace(expression, '');
    if (performance.now() - started <= limit_ms) return false;
  }
  return true;
}
