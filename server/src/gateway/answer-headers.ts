// The headers of a model's answer, as the vendors name them: what is left of the limits per minute, and the id of the request.
import type { Reserved } from '../ledger/books.ts';
import type { Payer } from './facts.ts';
import type { Wire } from './wires/wire.ts';

export function answerHeaders({
  wire,
  caller,
  rates,
}: {
  wire: Wire;
  caller: Payer;
  rates: Reserved['rates'];
}): Record<string, string> {
  const left = (['requests', 'tokens'] as const).flatMap((what) => {
    const rate = rates[what];
    if (rate === undefined) return [];
    return [
      [`x-ratelimit-limit-${what}`, String(rate.limit)],
      [`x-ratelimit-remaining-${what}`, String(rate.remaining)],
      [`x-ratelimit-reset-${what}`, `${rate.reset_seconds}s`],
    ];
  });
  const request_id = caller.kind === 'key' ? caller.origin.request_id : null;
  // OpenAI's clients read x-request-id, which every answer of the service has.
  const id = wire.kind === 'anthropic' && request_id !== null ? [['request-id', request_id]] : [];
  return Object.fromEntries([...left, ...id]) as Record<string, string>; // each entry is a name and a text
}
