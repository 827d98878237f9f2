// Compiles the data of the package genai-prices to whole numbers. Only `npm run prices` and the test of the table run this.
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { calcPrice, type MatchLogic, type ModelInfo, type ModelPrice, waitForUpdate } from '@pydantic/genai-prices';
import { parseUsd } from '@gantry/contract/formats/money.ts';
import type { PricedProvider, Table } from './find-price.ts';
import type { Match } from './match.ts';
import { type Price, type Rates, parseRate } from './rates.ts';

const tokens = {
  input_mtok: 'input',
  cache_read_mtok: 'cached_input',
  cache_write_mtok: 'cache_write',
  cache_write_1h_mtok: 'cache_write_1h',
  input_audio_mtok: 'input_audio',
  cache_audio_read_mtok: 'cached_input_audio',
  input_image_mtok: 'input_image',
  cache_image_read_mtok: 'cached_input_image',
  input_video_mtok: 'input_video',
  output_mtok: 'output',
  output_audio_mtok: 'output_audio',
  output_image_mtok: 'output_image',
  output_video_mtok: 'output_video',
  output_reasoning_mtok: 'output_reasoning',
  output_citation_mtok: 'output_citation',
} as const;
const uses = {
  requests_kcount: 'requests',
  web_searches_kcount: 'web_searches',
  storage_searches_kcount: 'file_searches',
} as const;

/** The text of `table.json`: the prices in force on a date (`2026-11-22`). One line per model, so that a difference is readable. */
export async function compileTable(date: string): Promise<string> {
  const { version, providers } = await compile(date);
  const lines = providers.map(({ models, ...provider }) => {
    const head = JSON.stringify(provider).slice(0, -1);
    return `${head},"models":[\n${models.map((model) => JSON.stringify(model)).join(',\n')}\n]}`;
  });
  return `{"version":"${version}","date":"${date}","providers":[\n${lines.join(',\n')}\n]}\n`;
}

async function compile(date: string): Promise<Table> {
  const folder = dirname(createRequire(import.meta.url).resolve('@pydantic/genai-prices'));
  const { version } = JSON.parse(readFileSync(join(folder, '../package.json'), 'utf8')) as { version: string };
  // Without an update, these are the providers of the package.
  const providers = (await waitForUpdate()) ?? [];
  return {
    version: `genai-prices ${version}, ${date}`,
    date,
    providers: providers.map(({ id, provider_match, fallback_model_providers, models }): PricedProvider => ({
      id,
      match: provider_match && compileMatch(provider_match),
      fallback: fallback_model_providers,
      models: models.map((model) => ({ match: compileMatch(model.match), ...compilePrice(pricesOn(model, date)) })),
    })),
  };
}

/** The prices in force on a day: the dearest of it where they change with the hour. */
function pricesOn(model: ModelInfo, date: string): ModelPrice {
  const conditions = Array.isArray(model.prices) ? model.prices.map(({ constraint }) => constraint) : [];
  const hours = conditions.flatMap((one) => (one?.type === 'time_of_date' ? [one.start_time, one.end_time] : []));
  const alone = { id: 'any', name: '', api_pattern: '', models: [{ ...model, match: { equals: 'any' } }] };
  const each = ['00:00:00Z', ...hours].map(
    (hour) => calcPrice({}, 'any', { provider: alone, timestamp: new Date(`${date}T${hour}`) })?.model_price ?? {},
  );
  const sum = (prices: ModelPrice) => Object.keys(prices).reduce((total, key) => total + at(prices[key], 0), 0);
  return each.reduce((one, other) => (sum(other) > sum(one) ? other : one));
}

/**
 * Nothing for a price with a unit that our calls do not count (hours, pages, messages), and for an empty one. Such a model stays in the
 * table: it must not match a later rule.
 */
function compilePrice(prices: ModelPrice): Partial<Pick<Price, 'rates' | 'tiers'>> {
  const keys = Object.keys(prices);
  if (!keys.includes('input_mtok') || keys.some((key) => !(key in tokens) && !(key in uses))) return {};
  const starts = keys.flatMap((key) => tiersOf(prices[key]).map(({ start }) => start));
  const tiers = [...new Set(starts)]
    .toSorted((one, other) => one - other)
    .map((start) => ({ above_input_tokens: start, rates: compileRates(prices, start + 1) }));
  return { rates: compileRates(prices, 0), tiers: tiers.length === 0 ? undefined : tiers };
}

function compileRates(prices: ModelPrice, input_tokens: number): Rates {
  // toFixed: the package's numbers are decimals; nine places are more than a pico-USD.
  const usd = (key: string) => at(prices[key], input_tokens).toFixed(9);
  const rates = Object.entries(tokens).flatMap(([key, name]) => (key in prices ? [[name, parseRate(usd(key))]] : []));
  // Nano-USD per thousand uses are pico-USD per use.
  const fees = Object.entries(uses).flatMap(([key, name]) => (key in prices ? [[name, parseUsd(usd(key))]] : []));
  // compilePrice has seen input_mtok.
  return Object.fromEntries([...rates, ...fees]) as Rates;
}

type Figure = ModelPrice[string];

function at(figure: Figure, input_tokens: number): number {
  const tier = tiersOf(figure).findLast(({ start }) => input_tokens > start);
  return tier?.price ?? (typeof figure === 'object' ? figure.base : (figure ?? 0));
}

function tiersOf(figure: Figure) {
  return typeof figure === 'object' ? figure.tiers.toSorted((one, other) => one.start - other.start) : [];
}

function compileMatch(logic: MatchLogic): Match {
  if ('or' in logic) return unique(logic.or.map(compileMatch));
  if ('and' in logic) return { and: logic.and.map(compileMatch) };
  if ('regex' in logic) return compileExpression(logic.regex);
  if ('equals' in logic) return logic.equals.toLowerCase();
  if ('starts_with' in logic) return { starts_with: logic.starts_with.toLowerCase() };
  if ('ends_with' in logic) return { ends_with: logic.ends_with.toLowerCase() };
  return { contains: logic.contains.toLowerCase() };
}

/** Upper and lower case fall together. */
function unique(rules: Match[]): Match {
  const texts = new Set(rules.map((rule) => JSON.stringify(rule)));
  const left = Array.from(texts, (text) => JSON.parse(text) as Match);
  return left.length === 1 && left[0] !== undefined ? left[0] : left;
}

/** The package's expressions are text with digits. Throws for any other. */
function compileExpression(regex: string): Match {
  if (regex === '^(?!.*-[tT][tT][sS](?:$|-))') return { not: [{ ends_with: '-tts' }, { contains: '-tts-' }] };
  const [, text, end] = /^\^((?:[a-z0-9/-]|\\[.[\]]|=|\\d(?:\{\d\})?)+)(\$?)$/.exec(regex) ?? [];
  if (text === undefined) throw new Error(`the expression ${regex} needs a rule of its own`);
  const pattern = text.replace(/\\d(?:\{(\d)\})?/g, (_, times = '1') => '#'.repeat(Number(times))).replaceAll('\\', '');
  if (end === '$') return pattern.includes('#') ? { digits: pattern } : pattern;
  if (pattern.indexOf('#') !== pattern.length - 1) throw new Error(`the expression ${regex} needs a rule of its own`);
  return Array.from('0123456789', (digit) => ({ starts_with: pattern.replace('#', digit) }));
}
