import { calcPrice, type MatchLogic, waitForUpdate } from '@pydantic/genai-prices';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { findPrice, type Table } from './find-price.ts';

const table = JSON.parse(await readFile(join(import.meta.dirname, 'table.json'), 'utf8')) as Table;
const providers = (await waitForUpdate()) ?? [];
/** The package's models → the rates of ours. */
const rates = new Map(
  providers.flatMap(({ models }, n) =>
    models.map((model, m) => [model, table.providers[n]?.models[m]?.rates] as const),
  ),
);

test.each([
  ['openai', 'gpt-4o', 2_500_000],
  ['openai', 'gpt-4o-2024-08-06', 2_500_000],
  ['openai', 'GPT-4o-20240806', 2_500_000],
  ['openai', 'gpt-4o-2024-05-13', 5_000_000],
  ['openai', 'gpt-5.6-luna-20250228', 200_000],
  ['azure', 'gpt-4o', 2_500_000],
  ['anthropic', 'claude-sonnet-4-5-20250929', 3_000_000],
])('%s has a price for %s', (provider, model, input) => {
  expect(findPrice(provider, model)).toMatchObject({ version: table.version, rates: { input } });
});

test.each([
  ['a model that it does not name', 'openai', 'no-such-model'],
  ['a snapshot of a date that does not exist', 'openai', 'gpt-5.6-luna-20250230'],
  ['a provider that it does not name', 'acme', 'gpt-4o'],
  ['a model that is billed by the hour', 'openai', 'whisper-1'],
  ['a model with an empty price', 'openrouter', 'deepseek/deepseek-r1:free'],
  ['a model with a name too long for our catalogue', 'openai', `gpt-4o${'-'.repeat(200)}`],
])('the table has no price for %s', (_, provider, model) => expect(findPrice(provider, model)).toBeUndefined());

test('every name matches the model that it matches in genai-prices', () => {
  const known = providers.flatMap(({ id, models }) =>
    models.flatMap(({ match }) => texts(match).map((name) => [id, name] as const)),
  );
  const ids = providers.map(({ id }) => id);
  const ends = [
    '',
    '-20250101',
    '-20250231:free',
    '-2025-01-01',
    '-tts',
    '-tts-1',
    ':free',
    '-',
    '9',
    '20250101',
    '-20240806-20250101',
  ];
  expect(known.length).toBeGreaterThan(2000);
  for (const [provider, name] of known) mustAgree(provider, name);
  fc.assert(
    fc.property(
      fc.constantFrom(...known),
      fc.constantFrom(...ends),
      fc.constantFrom(...ids),
      ([own, name], end, other) => {
        mustAgree(own, name + end);
        mustAgree(other, name + end);
        mustAgree(`my-${own}`, name.toUpperCase());
      },
    ),
    { numRuns: 1000 },
  );
});

function mustAgree(provider: string, name: string): void {
  const theirs = calcPrice({}, name, { providerId: provider, timestamp: new Date(table.date) })?.model;
  expect(findPrice(provider, name)?.rates, `${provider} ${name}`).toEqual(theirs && rates.get(theirs));
}

/** The texts of a rule; of an expression, a name that it matches. */
function texts(rule: MatchLogic): string[] {
  if ('or' in rule) return rule.or.flatMap(texts);
  if ('and' in rule) return rule.and.flatMap(texts);
  if ('regex' in rule)
    return [
      rule.regex
        .replaceAll(/^\^|\$$/g, '')
        .replace(/\\d\{8\}/, '20250101')
        .replaceAll(/\\d\{\d\}|\\d/g, '12')
        .replaceAll('\\', ''),
    ];
  return Object.values(rule);
}
