// The cost of a call in nano-USD, and its bound before the call. Sums are bigints; the result rounds up, once.
import { divideUp, type Fee, type InputClass, inputClasses, type OutputClass, outputClasses } from './rates.ts';
import { type Price, rateOf, type Rates, type Usage } from './rates.ts';

/** An upper bound of the input of a call, and of the uses of the vendor's tools. */
export interface Ask extends Pick<Usage, Fee> {
  input_tokens: number;
  /** The classes that its tokens can belong to. Unset: all. */
  input_classes?: readonly InputClass[];
}

/** Throws a RangeError for a count that is no whole number, for a count without a rate, and for a cost beyond exact numbers. */
export function costOf(price: Price, usage: Usage): number {
  // Object.entries types its keys as string.
  const counts = Object.entries(usage) as [keyof Usage, number | undefined][];
  const input_tokens = counts.reduce((sum, [name, count = 0]) => sum + (isInput(name) ? count : 0), 0);
  const tier = price.tiers?.findLast(({ above_input_tokens }) => input_tokens > above_input_tokens);
  const { requests = 0, ...rates } = tier?.rates ?? price.rates;
  return divideUp(counts.reduce((sum, [name, count = 0]) => sum + times(count, rateOf(rates, name)), BigInt(requests)));
}

/** At least the cost of every call within the ask and with at most so many output tokens. Throws as costOf does. */
export function boundOf(price: Price, { output_tokens, ...ask }: Ask & { output_tokens: number }): number {
  const rates = reachableRates(price, ask);
  return divideUp(boundInput(rates, ask) + times(output_tokens, highest(rates, allOutput)));
}

/** The largest `output_tokens` whose bound is at most `nano`. Undefined: the rest of the ask exceeds it alone. */
export function outputTokensFor(price: Price, { nano, ...ask }: Ask & { nano: number }): number | undefined {
  const rates = reachableRates(price, ask);
  const left_pico = BigInt(nano) * 1000n - boundInput(rates, ask);
  if (left_pico < 0n) return undefined;
  const rate = highest(rates, allOutput);
  if (rate === undefined) return 0;
  const affordable = rate === 0 ? most : left_pico / BigInt(rate);
  return Number(affordable < most ? affordable : most);
}

const allInput = Object.keys(inputClasses) as InputClass[];
const allOutput = Object.keys(outputClasses) as OutputClass[];
const most = BigInt(Number.MAX_SAFE_INTEGER);

function isInput(name: string): boolean {
  return Object.hasOwn(inputClasses, name);
}

/** The rates of each size of input up to that of the ask. */
function reachableRates({ rates, tiers = [] }: Price, { input_tokens }: Ask): Rates[] {
  return [rates, ...tiers.filter((tier) => input_tokens > tier.above_input_tokens).map((tier) => tier.rates)];
}

function boundInput(
  rates: Rates[],
  { input_tokens, input_classes = allInput, web_searches = 0, file_searches = 0 }: Ask,
) {
  const request = rates.reduce((sum, { requests = 0 }) => Math.max(sum, requests), 0);
  return (
    BigInt(request) +
    times(input_tokens, highest(rates, input_classes)) +
    times(web_searches, highest(rates, ['web_searches'])) +
    times(file_searches, highest(rates, ['file_searches']))
  );
}

function highest(rates: Rates[], names: readonly (keyof Usage)[]): number | undefined {
  const known = rates.flatMap((one) => names.map((name) => rateOf(one, name))).filter((rate) => rate !== undefined);
  return known.length === 0 ? undefined : Math.max(...known);
}

function times(count: number, rate: number | undefined): bigint {
  if (!Number.isSafeInteger(count) || count < 0) throw new RangeError(`${count} is not a count of tokens or uses`);
  if (count === 0) return 0n;
  if (rate === undefined) throw new RangeError('the price has no rate for a class of the call');
  return BigInt(count) * BigInt(rate);
}
