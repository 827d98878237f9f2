import { expect, test } from 'vitest';
import { boundOf, costOf, outputTokensFor } from './cost.ts';
import { priceOf } from './price-of.ts';
import type { Price } from './rates.ts';

/** $3 in, $0.30 read, $3.75 written, $15 out; double above 200,000 tokens, triple above 400,000; a cent a search. */
const price: Price = {
  version: 'test',
  rates: {
    input: 3_000_000,
    cached_input: 300_000,
    cache_write: 3_750_000,
    output: 15_000_000,
    web_searches: 10 ** 10,
  },
  tiers: [
    { above_input_tokens: 200_000, rates: { input: 6_000_000, cached_input: 600_000, output: 30_000_000 } },
    { above_input_tokens: 400_000, rates: { input: 9_000_000, output: 45_000_000 } },
  ],
};
const one: Price = { version: 'test', rates: { input: 1, output: 1 } };

test.each([
  ['nothing', price, {}, 0],
  ['each class at its own rate', price, { input: 1000, cached_input: 1000, cache_write: 1000, output: 100 }, 8_550_000],
  ['a class without a rate at that of its parent', price, { cache_write_1h: 1000, output_reasoning: 100 }, 5_250_000],
  ['a class that is undefined as none', price, { input: 1000, output: undefined }, 3_000_000],
  ['a use of a tool', price, { web_searches: 2 }, 20_000_000],
  ['at the size of a tier, the rates below it', price, { input: 200_000 }, 600_000_000],
  [
    'above it, the rates of the tier for every token',
    price,
    { input: 1, cached_input: 200_000, output: 1 },
    120_036_000,
  ],
  ['above the next, its own', price, { input: 400_001 }, 3_600_009_000],
  ['a pico-USD as one nano-USD', one, { input: 1 }, 1],
  ['rounded once', one, { input: 500, output: 501 }, 2],
  ['each request', { ...one, rates: { ...one.rates, requests: 5 * 10 ** 9 } }, { input: 1 }, 5_000_001],
])('%s', (_, price, usage, nano) => expect(costOf(price, usage)).toBe(nano));

test.each([
  ['a negative count', price, { input: -1 }],
  ['a fraction', price, { output: 0.5 }],
  ['an inexact number', price, { input: 2 ** 53 }],
  ['no number', price, { input: Number.NaN }],
  ['a fee that the price does not have', price, { file_searches: 1 }],
  ['output of an embedding', { version: 'test', rates: { input: 1 } }, { output: 1 }],
  ['a cost that is no exact number', price, { output: 2 ** 50 }],
])('%s has no cost', (_, price, usage) => expect(() => costOf(price, usage)).toThrow(RangeError));

test.each([
  ['input at the rate of a cache write', { input_tokens: 1000, output_tokens: 0 }, 3_750_000],
  ['output at its own', { input_tokens: 0, output_tokens: 100 }, 1_500_000],
  ['a size that reaches a tier', { input_tokens: 200_001, output_tokens: 1 }, 1_200_036_000],
  ['a size that does not', { input_tokens: 200_000, output_tokens: 0 }, 750_000_000],
  [
    'only the classes of the ask',
    { input_tokens: 1000, input_classes: ['input' as const], output_tokens: 0 },
    3_000_000,
  ],
  ['the uses of a tool', { input_tokens: 0, output_tokens: 0, web_searches: 3 }, 30_000_000],
])('the bound has %s', (_, ask, nano) => expect(boundOf(price, ask)).toBe(nano));

test('an ask outside the price has no bound', () => {
  expect(() => boundOf(price, { input_tokens: 1, output_tokens: 1, file_searches: 1 })).toThrow(RangeError);
  expect(() => boundOf(priceOf({ input: '1' }, 'test'), { input_tokens: 1, output_tokens: 1 })).toThrow(RangeError);
});

test.each([
  ['the input exceeds it', price, { input_tokens: 1000, nano: 3_749_999 }, undefined],
  ['the account is overdrawn', price, { input_tokens: 0, nano: -1 }, undefined],
  ['the input exceeds it by a pico-USD', one, { input_tokens: 1001, nano: 1 }, undefined],
  ['the input uses it up', price, { input_tokens: 1000, nano: 3_764_999 }, 0],
  ['it pays for one token', price, { input_tokens: 1000, nano: 3_765_000 }, 1],
  ['output costs nothing', priceOf({ input: '1', output: '0' }, 'test'), { input_tokens: 1, nano: 1000 }, 2 ** 53 - 1],
  ['it is large and output cheap', one, { input_tokens: 1, nano: 2 ** 53 - 1 }, 2 ** 53 - 1],
  ['output has no price', priceOf({ input: '1' }, 'test'), { input_tokens: 1, nano: 1000 }, 0],
])('the output that a headroom pays for, when %s', (_, price, ask, tokens) => {
  expect(outputTokensFor(price, ask)).toBe(tokens);
});

test('an own price takes the input rate for the cache unless it says otherwise', () => {
  const own = priceOf({ input: '2.50', output: '10' }, 'v1');
  expect(own).toEqual({ version: 'v1', rates: { input: 2_500_000, output: 10_000_000 } });
  expect(costOf(own, { cached_input: 1000, cache_write: 1000 })).toBe(5_000_000);
  const cached = priceOf({ input: '2.50', cached_input: '0.25', cache_write: '3.125', output: '10' }, 'v1');
  expect(costOf(cached, { cached_input: 1000, cache_write: 1000 })).toBe(3_375_000);
});

test('an own price finer than a pico-USD a token rounds up', () => {
  expect(priceOf({ input: '0.000000001', output: '999999.999999999' }, 'v1').rates).toEqual({
    input: 1,
    output: 10 ** 12,
  });
});
