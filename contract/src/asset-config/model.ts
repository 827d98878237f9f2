import { z } from 'zod';
import { identifier, modelId, secretName } from '../identifiers.ts';
import { httpAddress } from './http-address.ts';

const price = z
  .string()
  .regex(/^(?:0|[1-9]\d{0,5})(?:\.\d{1,9})?$/, 'must be a decimal number as text, such as "2.50"');

/** A model that agents may call, with what a call costs. */
export const model = z.strictObject({
  provider: identifier.describe('Who runs it'),
  model: modelId.describe('What the provider calls it'),
  type: z.enum(['chat', 'embedding']).default('chat').describe('What it gives: an answer, or a vector'),
  context_window_tokens: z.int().min(1).max(100_000_000).optional().describe('The most that a call may hold'),
  max_output_tokens: z.int().min(1).max(100_000_000).optional().describe('The longest answer'),
  price_usd_per_million: z
    .strictObject({
      input: price.describe('For a million tokens that are sent'),
      output: price.optional().describe('For a million tokens of answers'),
    })
    .optional()
    .describe('What it costs, as decimal text'),
  base_url: httpAddress.optional().describe("Where it answers; unset: the provider's own address"),
  secret: secretName.optional().describe('The name of the secret that holds the key'),
});
