import { expect, test } from 'vitest';
import type { Facts, Payer } from './facts.ts';
import type { Model } from '../model.ts';
import { noRun } from '../run-of-call.ts';
import { reservationOf } from './reservation.ts';
import { messages } from '../wires/messages.ts';

const facts = { key: { id: 'k', settings: {}, models: [], tags: [] }, meant: [], rules: [] } as unknown as Facts; // what a reservation reads
const caller = { kind: 'key', id: 'k', accounts: [] } as unknown as Payer; // likewise
const rates = { input: 3_000_000, output: 15_000_000 };
const timeouts = { total_ms: 1000 };
const of = (more: object) =>
  ({
    kind: 'anthropic',
    formats: ['anthropic'],
    name: 'claude',
    context_window_tokens: 200_000,
    timeouts,
    ...more,
  }) as unknown as Model; // likewise
const body = {
  model: 'claude',
  max_tokens: 10,
  messages: [{ role: 'user', content: 'hello' }],
  tools: [{ type: 'web_search_20250305', name: 'web_search', max_uses: 3 }],
};
const reserved = (model: Model) =>
  reservationOf(messages, messages.read(body, JSON.stringify(body)), {
    ...facts,
    model,
    caller,
    run: noRun,
    call_id: 'c',
    hold_id: 'h',
    attempt: 1,
  });

test('searches hold their fees and a context for each, and need a price and a known context', () => {
  const priced = { price: { version: 't', rates: { ...rates, web_searches: 10_000_000_000 } } };
  const { price, unbounded } = reserved(of(priced));
  expect(unbounded).toEqual([]);
  // In nano-USD: four contexts at $3 per million, and three searches at $10 per thousand.
  expect(price?.boundOf(0)).toBe(4 * 200_000 * 3000 + 3 * 10_000_000);
  expect(reserved(of({ price: { version: 't', rates } })).unbounded).toHaveLength(1);
  expect(reserved(of({ ...priced, context_window_tokens: undefined })).unbounded).toHaveLength(1);
});
