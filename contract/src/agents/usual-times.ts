import type { Deployment } from './deploy.ts';

export type UsualTimes = Readonly<Record<string, number | undefined>>;

/** The median time in milliseconds of every step in earlier successful deploys. */
export function usualTimes(earlier: readonly Pick<Deployment, 'state' | 'steps'>[]): UsualTimes {
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

/** Worth a remark: twice the usual time, and two seconds more. */
export function isSlow(usual: UsualTimes, name: string, took_ms: number): boolean {
  const expected = usual[name];
  return expected !== undefined && took_ms >= expected * 2 && took_ms - expected >= 2000;
}
