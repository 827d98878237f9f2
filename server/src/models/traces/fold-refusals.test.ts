import { expect, test, vi } from 'vitest';
import { makeSpan } from '../../testing/stored/make-span.ts';
import { foldRefusals } from './fold-refusals.ts';
import type { Span } from './span.ts';

function refused(given: Partial<Span> = {}, key_id = 'key'): Span {
  const facts = {
    source: 'gateway',
    kind: 'llm',
    name: 'chat small',
    status: 'error',
    error: 'budget_exceeded',
  } as const;
  return makeSpan({ ...facts, attributes: { key_id, attempts: [] }, ...given });
}

function open() {
  const passed: Span[] = [];
  const nothing = async () => await Promise.resolve();
  const folding = foldRefusals({ add: (spans) => void passed.push(...spans), flush: nothing, close: nothing });
  return { passed, folding };
}

test('thousands of refusals of one key become the first one and one span a minute with their number', async () => {
  vi.useFakeTimers();
  try {
    const { passed, folding } = open();
    const storm = Array.from({ length: 5000 }, () => refused());
    for (const span of storm) folding.add([span]);
    expect(passed).toEqual([storm[0]]);
    vi.advanceTimersByTime(60_000);
    expect(passed).toHaveLength(2);
    expect(passed[1]).toMatchObject({ name: 'chat small', error: 'budget_exceeded', started_us: storm[1]?.started_us });
    expect(passed[1]?.attributes['refused_calls']).toBe(4999);
    folding.add([refused(), refused()]);
    await folding.close();
    expect(passed.map(({ attributes }) => attributes['refused_calls'])).toEqual([undefined, 4999, 2]);
  } finally {
    vi.useRealTimers();
  }
});

test('another key, code or run has a first refusal of its own, and no other span is folded', async () => {
  const { passed, folding } = open();
  const own = [
    refused(),
    refused({}, 'other'),
    refused({ error: 'rate_limit_exceeded' }),
    refused({ error: 'model_not_allowed' }),
    refused({ run_id: 'run' }),
  ];
  folding.add([...own, ...own]);
  expect(passed).toEqual(own);
  const others = [
    refused({ status: 'ok', error: null }),
    refused({ error: 'model_unavailable' }),
    refused({ attributes: { key_id: 'key', attempts: ['small failed'] } }),
    refused({ attributes: { key_id: 'key', attempts: [], 'guardrail.pii_detection.model_in.redacted': 1 } }),
    refused({ source: 'agent' }),
  ];
  folding.add([...others, ...others]);
  expect(passed.slice(own.length)).toEqual([...others, ...others]);
  await folding.close();
  expect(passed.slice(own.length + 2 * others.length)).toHaveLength(own.length);
});
