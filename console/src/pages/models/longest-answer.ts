import type { Model } from '@gantry/contract/models/models.ts';

const from = { config: 'its config', table: 'published by its vendor', default: 'unknown, used under a budget' };

/** The longest answer to a call that asks for no limit. */
export function longestAnswer({ max_output_tokens, max_output_from, type }: Model): string {
  return type === 'chat' ? `${max_output_tokens} tokens (${from[max_output_from]})` : 'none';
}
