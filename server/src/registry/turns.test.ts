import { expect, test } from 'vitest';
import { turns } from './turns.ts';

const never = new AbortController().signal;

test('as many as may run do, the others follow in the order they came, also after a failure', async () => {
  const inTurn = turns(2, 10_000, 'busy');
  const order: string[] = [];
  const gates = ['a', 'b', 'c', 'd'].map((name) => ({ name, ...Promise.withResolvers<void>() }));
  const works = gates.map(
    async ({ name, promise }) =>
      await inTurn(never, async () => {
        order.push(name);
        await promise;
        if (name === 'b') throw new Error('b failed');
      }),
  );
  const ended = Promise.allSettled(works);
  await new Promise(setImmediate);
  expect(order).toEqual(['a', 'b']);
  gates[1]?.resolve();
  await new Promise(setImmediate);
  expect(order).toEqual(['a', 'b', 'c']);
  for (const gate of gates) gate.resolve();
  expect((await ended).map((result) => result.status)).toEqual(['fulfilled', 'rejected', 'fulfilled', 'fulfilled']);
  expect(order).toEqual(['a', 'b', 'c', 'd']);
});

test('who waits too long is sent away, who goes away leaves the queue, and neither takes a turn', async () => {
  const inTurn = turns(1, 50, 'busy');
  const gate = Promise.withResolvers<void>();
  const first = inTurn(never, async () => await gate.promise);
  const gone = new AbortController();
  const leaving = inTurn(gone.signal, async () => 'ran');
  const late = inTurn(never, async () => 'ran');
  gone.abort(new Error('gone'));
  await expect(leaving).rejects.toThrow('gone');
  await expect(late).rejects.toMatchObject({ code: 'rate_limited', retry_after_seconds: 60 });
  gate.resolve();
  await first;
  expect(await inTurn(never, async () => 'ran')).toBe('ran');
});
