import { setImmediate } from 'node:timers/promises';

/** The most processor time of the main thread, in milliseconds, that one turn of the event loop takes during the work. */
export async function longestTurn(work: () => Promise<unknown>): Promise<number> {
  let isDone = false;
  const worked = work().finally(() => (isDone = true));
  let longest_us = 0;
  let before = process.threadCpuUsage();
  while (!isDone) {
    await setImmediate();
    const { user, system } = process.threadCpuUsage(before);
    before = process.threadCpuUsage();
    longest_us = Math.max(longest_us, user + system);
  }
  await worked;
  return longest_us / 1000;
}
