import { expect, test } from 'vitest';
import { readyThreads } from './ready-threads.ts';

test("the place of an agent's threads is read with the setting behind it, without terminal codes", () => {
  expect(readyThreads({ threads: 'none', threads_by: null, more: 1 })).toEqual({ threads: 'none', threads_by: null });
  expect(readyThreads({ threads: 'memory', threads_by: 'checkpointer=In\u001b[2JMemory in agent.py' })).toEqual({
    threads: 'memory',
    threads_by: 'checkpointer=In [2JMemory in agent.py',
  });
});

test.each([undefined, 7, 'x'.repeat(301)])('a setting that is not a short text is left out: %j', (threads_by) => {
  expect(readyThreads({ threads: 'external', threads_by })).toEqual({ threads: 'external', threads_by: null });
});

test.each([{}, { threads: 'everywhere' }, { threads: ['none'] }])('%j says nothing about threads', (ready) => {
  expect(readyThreads(ready)).toBeUndefined();
});
