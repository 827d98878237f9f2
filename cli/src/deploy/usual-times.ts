import type { Deployment } from '@gantry/contract/deploy.ts';
import type { UsualTimes } from '../run/draw-steps.ts';

/** The median time of each step over earlier successful deploys. */
export function usualTimes(earlier: readonly Deployment[]): UsualTimes {
  const times = new Map<string, number[]>();
  for (const { state, steps } of earlier) {
    if (state !== 'done') continue;
    for (const { name, started_at, ended_at } of steps) {
      if (started_at !== null && ended_at !== null)
        times.set(name, [...(times.get(name) ?? []), Date.parse(ended_at) - Date.parse(started_at)]);
    }
  }
  return Object.fromEntries(
    [...times].map(([name, each]) => [name, each.toSorted((a, b) => a - b)[Math.floor(each.length / 2)]]),
  );
}
