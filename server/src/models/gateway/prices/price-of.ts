import { parseRate, type Price } from './rates.ts';

/** An administrator's own figures: decimal text, in USD per million tokens. */
interface Figures {
  input: string;
  cached_input?: string;
  cache_write?: string;
  output?: string;
}

/** A figure that is absent for the cache is that of the input, as in every price. */
export function priceOf(usd_per_million: Figures, version: string): Price {
  const { input, ...others } = usd_per_million;
  const given = Object.entries(others).filter(([, figure]) => figure !== undefined);
  const rates = Object.fromEntries(given.map(([name, figure]) => [name, parseRate(figure)]));
  return { version, rates: { ...rates, input: parseRate(input) } };
}
