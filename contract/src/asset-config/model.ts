import { z } from 'zod';
import { identifier, modelId, environmentName } from '../identifiers.ts';
import { httpAddress } from './http-address.ts';

const price = z
  .string()
  .regex(/^(?:0|[1-9]\d{0,5})(?:\.\d{1,9})?$/, 'must be a decimal number as text, such as "2.50"');

/** A model for agents, with the price of a call. */
export const model = z.strictObject({
  provider: identifier.describe('Its provider'),
  model: modelId.describe('Its name at the provider'),
  type: z.enum(['chat', 'embedding']).default('chat').describe('Its output: an answer, or a vector'),
  context_window_tokens: z.int().min(1).max(100_000_000).optional().describe('The largest context of a call'),
  max_output_tokens: z.int().min(1).max(100_000_000).optional().describe('The longest answer'),
  price_usd_per_million: z
    .strictObject({
      input: price.describe('For a million tokens of input'),
      cached_input: price.optional().describe('For a million tokens of input from the cache; unset: as input'),
      cache_write: price.optional().describe('For a million tokens of input that enter the cache; unset: as input'),
      output: price.optional().describe('For a million tokens of output'),
    })
    .optional()
    .describe('The price, as decimal text'),
  base_url: httpAddress.optional().describe('Its address; unset: that of the provider'),
  secret: environmentName.optional().describe('The name of the secret that holds the key'),
});
