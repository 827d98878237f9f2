// Every model of the table, with the package genai-prices as the oracle.
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { calcPrice, type ModelInfo, waitForUpdate } from '@pydantic/genai-prices';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { compileTable } from './compile-table.ts';
import { boundOf, costOf, outputTokensFor } from './cost.ts';
import type { Table } from './find-price.ts';
import { inputClasses, outputClasses, type Price, rateOf, type Usage } from './rates.ts';

const text = await readFile(join(import.meta.dirname, 'table.json'), 'utf8');
const table = JSON.parse(text) as Table;
const providers = (await waitForUpdate()) ?? [];
const models = table.providers.flatMap(({ id, models }, n) =>
  models.flatMap(({ rates, tiers }, m): { name: string; price: Price; model: ModelInfo }[] => {
    const model = providers[n]?.models[m];
    return rates && model ? [{ name: `${id} ${model.id}`, price: { version: '', rates, tiers }, model }] : [];
  }),
);
const names = [
  ...Object.keys(inputClasses),
  ...Object.keys(outputClasses),
  'web_searches',
  'file_searches',
] as (keyof Usage)[];

test('table.json is compiled from the installed package (npm run prices)', async () => {
  expect(await compileTable(table.date)).toBe(text);
});

test('a model without a price in the table has an empty one, or one for a unit other than tokens', () => {
  const unpriced = table.providers.flatMap((provider, n) =>
    provider.models.flatMap(({ rates }, m) => (rates ? [] : (providers[n]?.models[m] ?? []))),
  );
  const keys = unpriced.flatMap(({ prices }) =>
    (Array.isArray(prices) ? prices.map((one) => one.prices) : [prices]).flatMap((one) => Object.keys(one)),
  );
  expect(keys.filter((key) => key.endsWith('_mtok'))).toEqual([]);
  expect(models.length).toBeGreaterThan(1000);
});

test('a cost is a whole number, at least that of genai-prices and less than 1 nano-USD above it', () => {
  for (const { name, price, model } of models) {
    const inexact = inexactTokens(model);
    fc.assert(
      fc.property(usageFor(price), (usage) => {
        const cost = costOf(price, usage);
        const above = cost - oracle(model, usage);
        expect(Number.isSafeInteger(cost)).toBe(true);
        expect(above, name).toBeGreaterThan(-0.01);
        expect(above, name).toBeLessThan(1.01 + inexact(usage) / 1000);
      }),
      { numRuns: 8 },
    );
  }
});

test('a token or a use more never costs less, and the bound holds for each call', () => {
  for (const { name, price } of models) {
    fc.assert(
      fc.property(usageFor(price), fc.constantFrom(...pricedNames(price)), fc.nat(300_000), (usage, more, count) => {
        const cost = costOf(price, usage);
        expect(costOf(price, { ...usage, [more]: (usage[more] ?? 0) + count }), name).toBeGreaterThanOrEqual(cost);
        const { web_searches, file_searches } = usage;
        const ask = { input_tokens: total(usage, inputClasses), web_searches, file_searches };
        const bound = boundOf(price, { ...ask, output_tokens: total(usage, outputClasses) });
        expect(bound, name).toBeGreaterThanOrEqual(cost);
        const affordable = outputTokensFor(price, { ...ask, nano: bound }) ?? -1;
        expect(affordable, name).toBeGreaterThanOrEqual(total(usage, outputClasses));
        expect(boundOf(price, { ...ask, output_tokens: affordable }), name).toBeLessThanOrEqual(bound);
      }),
      { numRuns: 8 },
    );
  }
});

function pricedNames(price: Price): (keyof Usage)[] {
  return names.filter((name) => rateOf(price.rates, name) !== undefined);
}

function usageFor(price: Price): fc.Arbitrary<Usage> {
  const starts = (price.tiers ?? []).flatMap(({ above_input_tokens: start }) => [start, start + 1]);
  const count = fc.oneof(fc.nat(3_000_000), fc.constantFrom(0, 1, ...starts));
  return fc.record(Object.fromEntries(pricedNames(price).map((name) => [name, count])), { requiredKeys: [] });
}

function total(usage: Usage, classes: object): number {
  return Object.keys(classes).reduce((sum, name) => sum + (usage[name as keyof Usage] ?? 0), 0);
}

/** The package's own cost in nano-USD: the highest of the day, where the price changes with the hour. */
function oracle(model: ModelInfo, usage: Usage): number {
  const count = (...of: (keyof Usage)[]) => of.reduce((sum, name) => sum + (usage[name] ?? 0), 0);
  const theirs = {
    input_tokens: total(usage, inputClasses),
    cache_read_tokens: count('cached_input', 'cached_input_audio', 'cached_input_image'),
    cache_write_tokens: count('cache_write', 'cache_write_1h'),
    cache_write_1h_tokens: count('cache_write_1h'),
    input_audio_tokens: count('input_audio', 'cached_input_audio'),
    cache_audio_read_tokens: count('cached_input_audio'),
    input_image_tokens: count('input_image', 'cached_input_image'),
    cache_image_read_tokens: count('cached_input_image'),
    input_video_tokens: count('input_video'),
    output_tokens: total(usage, outputClasses),
    output_audio_tokens: count('output_audio'),
    output_image_tokens: count('output_image'),
    output_video_tokens: count('output_video'),
    output_reasoning_tokens: count('output_reasoning'),
    output_citation_tokens: count('output_citation'),
    web_searches: count('web_searches'),
    storage_searches: count('file_searches'),
  };
  const provider = { id: 'any', name: '', api_pattern: '', models: [{ ...model, match: { equals: 'any' } }] };
  const changes =
    Array.isArray(model.prices) && model.prices.some(({ constraint }) => constraint?.type === 'time_of_date');
  const minutes = changes ? Array.from({ length: 48 }, (_, n) => n * 30) : [0];
  const costs = minutes.map((minute) => {
    const timestamp = new Date(Date.parse(table.date) + minute * 60_000);
    return calcPrice(theirs, 'any', { provider, timestamp })?.total_price ?? Number.NaN;
  });
  return Math.max(...costs) * 1e9;
}

/** How many tokens of a usage have a rate in the package with more than six decimals. The table rounds these up to a pico-USD. */
function inexactTokens(model: ModelInfo): (usage: Usage) => number {
  const isInexact = JSON.stringify(model.prices).match(/"cache_write_mtok":\d+\.\d{7}/) !== null;
  return ({ cache_write = 0, cache_write_1h = 0 }) => (isInexact ? cache_write + cache_write_1h : 0);
}
