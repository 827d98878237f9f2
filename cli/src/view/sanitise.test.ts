import { expect, test } from 'vitest';
import { sanitise, sanitiseLine } from './sanitise.ts';

test.each([
  ['an escape sequence', 'a\u001b[31mred', 'a\\u{1b}[31mred'],
  ['an 8-bit escape introducer', 'a\u009b31m', 'a\\u{9b}31m'],
  ['a title change', '\u001b]0;owned\u0007', '\\u{1b}]0;owned\\u{7}'],
  ['a carriage return that would overwrite the line', 'approved\rrejected', 'approved\\u{d}rejected'],
  ['a backspace', 'no\b\byes', 'no\\u{8}\\u{8}yes'],
  ['text that runs the other way', 'user\u202Etxt.exe', 'user\\u{202e}txt.exe'],
  ['an isolate', '\u2066abc\u2069', '\\u{2066}abc\\u{2069}'],
  ['an invisible space', 'ad\u200bmin', 'ad\\u{200b}min'],
  ['tag characters', 'a\u{e0041}', 'a\\u{e0041}'],
  ['a lone surrogate', 'a\ud800b', 'a\\u{d800}b'],
])('%s cannot reach the terminal and stays visible', (_name, text, shown) => {
  expect(sanitise(text)).toBe(shown);
});

test('ordinary text is unchanged', () => {
  const text = 'Grüße, 你好, مرحبا, 👩‍👩‍👧 and\ttabs\nand lines';
  expect(sanitise(text)).toBe(text);
});

test('one line stays one line, with every separator in the text', () => {
  expect(sanitiseLine('a\r\nb\nc\u2028d\u2029e\tf')).toBe('a b c d e f');
});

test('a field of a megabyte is sanitised in well under a second', () => {
  const started = performance.now();
  sanitise('\u001b['.repeat(500_000));
  expect(performance.now() - started).toBeLessThan(1000);
});
