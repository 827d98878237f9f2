// The prices of the vendors, from `table.json`, which `npm run prices` compiles. Nothing is fetched.
import { readFileSync } from 'node:fs';
import { matches, type Match } from './match.ts';
import type { Price } from './rates.ts';
import { places } from '../../../ground/places-of-files.ts';

export interface Table {
  /** The version of the package genai-prices, and the day whose prices these are. */
  version: string;
  date: string;
  providers: readonly PricedProvider[];
}

export interface PricedProvider {
  id: string;
  match?: Match;
  /** Providers whose models this one also serves. */
  fallback?: readonly string[];
  /** The first match counts. One without rates has no price. */
  models: readonly ({ match: Match } & Partial<Pick<Price, 'rates' | 'tiers'>>)[];
}

// The table's test compiles the file anew and compares.
const table = JSON.parse(readFileSync(places.prices, 'utf8')) as Table;

/** The longest name of a model in our catalogue. */
const max_characters = 200;

/** The table's price of a model; undefined when it has none. Names match as in genai-prices. */
export function findPrice(provider: string, model: string): Price | undefined {
  if (provider.length > max_characters || model.length > max_characters) return undefined;
  const by = findProvider(provider);
  const name = model.toLowerCase();
  const found = by && (findModel(by, name) ?? findModel(by, hyphenateDates(name)));
  return found?.rates && { version: table.version, rates: found.rates, tiers: found.tiers };
}

function findProvider(name: string): PricedProvider | undefined {
  return (
    table.providers.find(({ id }) => id === name) ??
    table.providers.find(({ match }) => match !== undefined && matches(match, name))
  );
}

function findModel(by: PricedProvider, name: string) {
  const others = (by.fallback ?? []).flatMap((id) => table.providers.find((other) => other.id === id) ?? []);
  for (const { models } of [by, ...others]) {
    const found = models.find(({ match }) => matches(match, name));
    if (found) return found;
  }
  return undefined;
}

/** `-20240806` as `-2024-08-06`: vendors write a snapshot either way. */
function hyphenateDates(name: string): string {
  return name.replace(/-(20\d{2})(\d{2})(\d{2})(?=-|:|$)/g, (written, year: string, month: string, day: string) => {
    const date = new Date(Date.UTC(Number(year), Number(month) - 1, Number(day))).toISOString().slice(0, 10);
    return date === `${year}-${month}-${day}` ? `-${date}` : written;
  });
}
