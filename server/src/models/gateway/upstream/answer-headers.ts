// The headers of a model's answer, as the vendors name them: what is left of the limits per minute, and the id of the request.
import { rateHeaders } from '../../../governance/http/answer/rate-headers.ts';
import type { Reserved } from '../../ledger/books.ts';
import type { Payer } from '../admission/facts.ts';
import type { Wire } from '../wires/wire.ts';

export function answerHeaders({
  wire,
  caller,
  rates,
}: {
  wire: Wire;
  caller: Payer;
  rates: Reserved['rates'];
}): Record<string, string> {
  const request_id = caller.kind === 'key' ? caller.origin.request_id : null;
  // OpenAI's clients read x-request-id, which every answer of the service has.
  return {
    ...rateHeaders(rates),
    ...(wire.kind === 'anthropic' && request_id !== null && { 'request-id': request_id }),
  };
}
