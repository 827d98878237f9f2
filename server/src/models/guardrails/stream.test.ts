import fc from 'fast-check';
import { expect, test } from 'vitest';
import { newPlaceholders, redact, restore, Restoring } from './placeholders.ts';
import type { TextRule } from './rule.ts';
import { textRulesOf } from '../../testing/models/rules-of.ts';
import { screen } from './screen.ts';
import { Window, type Screened } from './stream.ts';

const rules = textRulesOf('pii_detection');

const values = [
  'ada.lovelace@example.com',
  '4111 1111 1111 1111',
  '4111-1111-1111-1111',
  '４１１１１１１１１１１１１１１１',
  '41\u200b11 1111\u00ad1111 1111',
  'DE89 3704 0044 0532 0130 00',
  'GB82WEST12345698765432',
  '+49 30 901820',
  '(212) 555-0123',
  '192.168.4.77',
  '2001:db8::8a2e:370:7334',
  '536-90-4399',
  '86 095 742 719',
  `sk-proj-${'aB3dE5gH7'.repeat(4)}`,
  'password: hunter2!Xy',
  'bXkgY2FyZCBpcyA0MTExIDExMTEgMTExMSAxMTExIG9rPw==',
  '&#52;111&#x31;11111111111',
  'ada%40example.com',
  '-----BEGIN RSA PRIVATE KEY-----\nMIIabc\nxyz12\n-----END RSA PRIVATE KEY-----',
  '-----BEGIN CERTIFICATE-----',
  '邮箱ada@example.com吧',
  '{"card":4111111111111111}',
];
const fillers = [
  ' ',
  '\n',
  ', ',
  '. ',
  'a ',
  'the invoice ',
  '12 ',
  '7',
  '0.',
  '-',
  '4 ',
  '1111 ',
  'é',
  '\u200b',
  'GB',
  '"',
  '🙂 ',
  '+',
  '@',
  'tel ',
  'xyz',
];
const piece = fc.oneof(
  { weight: 2, arbitrary: fc.constantFrom(...values) },
  { weight: 4, arbitrary: fc.constantFrom(...fillers) },
  { weight: 1, arbitrary: fc.string({ maxLength: 12 }) },
);
const text = fc.array(piece, { maxLength: 40 }).map((pieces) => pieces.join(''));
const cuts = fc.array(fc.nat(), { maxLength: 30 });

function chunksOf(whole: string, places: number[]): string[] {
  const sorted = [...new Set(places.map((place) => (whole.length === 0 ? 0 : place % whole.length)))].toSorted(
    (a, b) => a - b,
  );
  return [...sorted, whole.length].map((end, n) => whole.slice(sorted[n - 1] ?? 0, end));
}

function released(screened: Screened[]): string {
  const table = newPlaceholders();
  return screened
    .flatMap((one) => (one.kind === 'released' ? one.parts : [{ text: `BLOCK ${one.reason}`, spans: [] }]))
    .map((part) => redact(part, table))
    .join('');
}

async function stream(chunks: readonly string[], of: readonly TextRule[] = rules): Promise<string> {
  const window = new Window(of, { place: 'model_out' });
  const screened: Screened[] = [];
  for (const chunk of chunks) screened.push(await window.push(chunk));
  return released([...screened, await window.end()]);
}

test('a text is redacted the same however it is cut', async () => {
  await fc.assert(
    fc.asyncProperty(text, cuts, async (whole, places) => {
      expect(await stream(chunksOf(whole, places))).toBe(await stream([whole]));
    }),
    { numRuns: 1500 },
  );
});

test('a text is redacted the same in single characters', async () => {
  await fc.assert(
    fc.asyncProperty(text, async (whole) => {
      expect(await stream(whole.split(''))).toBe(await stream([whole]));
    }),
    { numRuns: 150 },
  );
});

test('a text longer than the held part is redacted the same however it is cut', { timeout: 120_000 }, async () => {
  const long = fc
    .array(fc.tuple(piece, fc.integer({ min: 1, max: 1500 })), { minLength: 4, maxLength: 12 })
    .map((pieces) =>
      pieces.map(([one, count]) => one.repeat(Math.min(count, Math.ceil(12_000 / Math.max(1, one.length))))).join(''),
    );
  await fc.assert(
    fc.asyncProperty(long, fc.array(fc.nat(), { maxLength: 12 }), async (whole, places) => {
      expect(await stream(chunksOf(whole, places))).toBe(await stream([whole]));
    }),
    { numRuns: 25 },
  );
});

test('no value of a stream is released in parts', async () => {
  for (const value of values.filter((one) => !one.includes('CERTIFICATE'))) {
    const whole = `Hello, this is it: ${value} and some words after it.`;
    expect(await stream([whole]), value).toMatch(/\[[A-Z_]+_1\]/);
    for (let cut = 1; cut < whole.length; cut++) {
      const window = new Window(rules, { place: 'model_out' });
      const first = released([await window.push(whole.slice(0, cut))]);
      expect((await stream([whole])).startsWith(first), `${value} at ${cut}`).toBe(true);
    }
  }
});

test('prose is released word by word', async () => {
  const window = new Window(rules, { place: 'model_out' });
  expect(released([await window.push('The invoice is on its way from ')])).toBe('The invoice is on its way from ');
  expect(released([await window.push('London')])).toBe('');
  expect(released([await window.push(' today')])).toBe('London ');
});

test('a rule that needs the whole text releases nothing before the end', async () => {
  const schema = textRulesOf('json_schema', { schema: { type: 'object' } });
  const window = new Window([...schema, ...rules], { place: 'ingress_out' });
  expect(await window.push('{"a": 1')).toEqual({ kind: 'released', parts: [] });
  await window.push('}');
  expect(released([await window.end()])).toBe('{"a": 1}');
});

test('nothing follows a block', async () => {
  const limit = textRulesOf('max_length', { output_characters: 5 });
  const window = new Window(limit, { place: 'ingress_out' });
  expect(await window.push('12345')).toMatchObject({ kind: 'released' });
  const block = { kind: 'block', rule: 'max_length', reason: 'The text has more than 5 characters.' };
  expect(await window.push('6')).toEqual(block);
  expect(await window.push('7')).toEqual(block);
  expect(await window.end()).toEqual(block);
});

test('a whole text is screened as its stream is', async () => {
  const whole = `${'Words and 4111 1111 1111 1111. '.repeat(500)}${values.join(' ; ')}`;
  expect(released([await screen(whole, rules, { place: 'model_in' })])).toBe(await stream([whole]));
});

test('the same value has the same placeholder, and restore returns the values', async () => {
  const table = newPlaceholders();
  const original = 'a@b.com wrote to c@d.org and a@b.com';
  const verdict = await rules[0]?.check({ place: 'model_in', text: original, before: '', offset: 0, isLast: true });
  const redacted = redact({ text: original, spans: verdict?.kind === 'redact' ? verdict.spans : [] }, table);
  expect(redacted).toBe('[EMAIL_1] wrote to [EMAIL_2] and [EMAIL_1]');
  expect(restore(redacted, table)).toBe(original);
  expect(restore('[EMAIL_3] [CARD_1] [1]', table)).toBe('[EMAIL_3] [CARD_1] [1]');
});

test('a restored stream is the same however it is cut', () => {
  const table = newPlaceholders();
  for (const value of ['a@b.com', 'c@d.org'])
    redact({ text: value, spans: [{ start: 0, end: value.length, type: 'EMAIL' }] }, table);
  const part = fc.constantFrom(
    '[EMAIL_1]',
    '[EMAIL_2]',
    '[EMAIL_9]',
    '[',
    'EMAIL_1',
    ']',
    ' words ',
    '[[EMAIL_1]]',
    '[A',
    '_1]',
    '[NATIONAL_ID_1',
  );
  fc.assert(
    fc.property(
      fc.array(part).map((parts) => parts.join('')),
      cuts,
      (whole, places) => {
        const restoring = new Restoring(table);
        const restored =
          chunksOf(whole, places)
            .map((chunk) => restoring.push(chunk))
            .join('') + restoring.end();
        expect(restored).toBe(restore(whole, table));
      },
    ),
  );
});
