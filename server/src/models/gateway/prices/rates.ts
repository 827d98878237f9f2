// A price: whole numbers of pico-USD (10⁻¹² USD) per token and per use, so that a cost rounds once, at its end.
import { parseUsd } from '@gantry/contract/formats/money.ts';

/** Classes of input tokens. Each lists the classes whose rate it takes, nearest first, when a price has none for it. */
export const inputClasses = {
  input: [],
  cached_input: ['input'],
  cache_write: ['input'],
  cache_write_1h: ['cache_write', 'input'],
  input_audio: ['input'],
  cached_input_audio: ['cached_input', 'input_audio', 'input'],
  input_image: ['input'],
  cached_input_image: ['cached_input', 'input_image', 'input'],
  input_video: ['input'],
} as const;

/** Classes of output tokens, likewise. */
export const outputClasses = {
  output: [],
  output_audio: ['output'],
  output_image: ['output'],
  output_video: ['output'],
  output_reasoning: ['output'],
  output_citation: ['output'],
} as const;

export type InputClass = keyof typeof inputClasses;
export type OutputClass = keyof typeof outputClasses;
/** The vendor's own tools, billed per use. */
export type Fee = 'web_searches' | 'file_searches';

/** `requests`: for each call. A fee that is absent is unknown, not zero; so is an absent `output`, as embeddings have it. */
export type Rates = { input: number } & { [name in InputClass | OutputClass | Fee | 'requests']?: number };

/** Rates of a whole call whose input, cached or not, exceeds a size. */
interface Tier {
  above_input_tokens: number;
  rates: Rates;
}

export interface Price {
  /** Each ledger row names it. */
  version: string;
  rates: Rates;
  /** The smallest first. */
  tiers?: readonly Tier[];
}

/**
 * The counts of one call. Each token is in one class.
 *
 * - OpenAI counts cached, written and audio tokens inside `prompt_tokens` (`input_tokens` of responses), and audio and
 *   reasoning tokens inside `completion_tokens`: `input` and `output` are the rest.
 * - Anthropic counts `cache_read_input_tokens` and `cache_creation_input_tokens` beside `input_tokens`.
 *   `cache_creation.ephemeral_1h_input_tokens` is the part of the second that belongs to `cache_write_1h`.
 *   `output_tokens` includes thinking tokens.
 */
export type Usage = { readonly [name in InputClass | OutputClass | Fee]?: number };

/** Pico-USD for one of a class; undefined when the price says nothing about it. */
export function rateOf(rates: Rates, name: keyof Usage): number | undefined {
  const nearest = [name, ...(classes[name] ?? [])].find((one) => rates[one] !== undefined);
  return nearest === undefined ? undefined : rates[nearest];
}

const classes: { [name in keyof Usage]: readonly (keyof Usage)[] } = { ...inputClasses, ...outputClasses };

/** Pico-USD per token of USD per million tokens. What is finer than a pico-USD rounds up. */
export function parseRate(usd_per_million: string): number {
  return divideUp(BigInt(parseUsd(usd_per_million)));
}

/** A thousandth, rounded up. Throws a RangeError when the result is not exact as a number. */
export function divideUp(amount: bigint): number {
  const thousandth = Number((amount + 999n) / 1000n);
  if (!Number.isSafeInteger(thousandth)) throw new RangeError(`${amount} / 1000 exceeds ${Number.MAX_SAFE_INTEGER}`);
  return thousandth;
}
