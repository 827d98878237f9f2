import { expect, test } from 'vitest';
import { fairQueue, QueueFull } from './fair-queue.ts';

test('owners take turns, one piece of work at a time, also when one fails', async () => {
  const queue = fairQueue({ most_waiting: 10 });
  const done: string[] = [];
  let running = 0;
  const work = async (owner: string, name: string) =>
    await queue.run(owner, async () => {
      expect(++running).toBe(1);
      await Promise.resolve();
      running--;
      done.push(name);
      if (name === 'a2') throw new Error('it fails');
    });
  const all = [work('a', 'a1'), work('a', 'a2'), work('a', 'a3'), work('b', 'b1'), work('c', 'c1'), work('b', 'b2')];
  const ended = await Promise.allSettled(all);
  expect(done).toEqual(['a1', 'a2', 'b1', 'c1', 'a3', 'b2']);
  expect(ended.map(({ status }) => status === 'fulfilled')).toEqual([true, false, true, true, true, true]);
});

test('an owner with too many waiting is refused, and nobody else', async () => {
  const queue = fairQueue({ most_waiting: 2 });
  const begun = Promise.withResolvers<void>();
  const held = queue.run('a', async () => await begun.promise);
  const nothing = async () => await Promise.resolve();
  const waiting = [queue.run('a', nothing), queue.run('a', nothing), queue.run('b', nothing)];
  await expect(queue.run('a', nothing)).rejects.toThrow(QueueFull);
  begun.resolve();
  await Promise.all([held, ...waiting]);
  await queue.run('a', nothing);
});
