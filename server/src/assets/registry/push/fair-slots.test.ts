import { expect, test } from 'vitest';
import { fairSlots } from './fair-slots.ts';

const never = new AbortController().signal;

test('the limit of tasks runs at once, the others follow in the order of arrival, also after a failure', async () => {
  const inSlot = fairSlots({ max: 2, shares: {}, wait_ms: 10_000, busy: 'busy' });
  const order: string[] = [];
  const gates = ['a', 'b', 'c', 'd'].map((name) => ({ name, ...Promise.withResolvers<void>() }));
  const works = gates.map(
    async ({ name, promise }) =>
      await inSlot({}, never, async () => {
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

test('a task that waits too long is refused, one that leaves is removed, and neither takes a slot', async () => {
  const inSlot = fairSlots({ max: 1, shares: {}, wait_ms: 50, busy: 'busy' });
  const gate = Promise.withResolvers<void>();
  const first = inSlot({}, never, async () => await gate.promise);
  const gone = new AbortController();
  const leaving = inSlot({}, gone.signal, async () => 'ran');
  const late = inSlot({}, never, async () => 'ran');
  gone.abort(new Error('gone'));
  await expect(leaving).rejects.toThrow('gone');
  await expect(late).rejects.toMatchObject({ code: 'too_many_requests', retry_after_seconds: 60 });
  gate.resolve();
  await first;
  expect(await inSlot({}, never, async () => 'ran')).toBe('ran');
});

test('a user and a team have their share: others pass the tasks of a full share, which run once it is free', async () => {
  const inSlot = fairSlots({ max: 4, shares: { user: 1, team: 2 }, wait_ms: 10_000, busy: 'busy' });
  const order: string[] = [];
  const works = ['ada/ml', 'ada/ml', 'ben/ml', 'cleo/ml', 'otto/ops', 'zoe/ops', 'uma/web'].map((name, index) => {
    const [user = '', team = ''] = name.split('/');
    const gate = Promise.withResolvers<void>();
    const ended = inSlot({ user, team }, never, async () => {
      order.push(`${user} ${index}`);
      await gate.promise;
    });
    return { gate, ended };
  });
  const end = async (index: number) => {
    works[index]?.gate.resolve();
    await works[index]?.ended;
    await new Promise(setImmediate);
  };
  await new Promise(setImmediate);
  expect(order).toEqual(['ada 0', 'ben 2', 'otto 4', 'zoe 5']);
  await end(0);
  expect(order.slice(4)).toEqual(['ada 1']);
  await end(4);
  expect(order.slice(5)).toEqual(['uma 6']);
  await end(2);
  expect(order.slice(6)).toEqual(['cleo 3']);
  for (const { gate } of works) gate.resolve();
  await Promise.all(works.map(async ({ ended }) => await ended));
});
