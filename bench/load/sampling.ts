// The rules of the measurements. On a busy machine a single number means nothing, so everything is measured many times. Compared values are
// measured in turns, so that a slow minute affects all of them.

/** The value that this share of the samples does not exceed. With few samples, a high quantile is their maximum. */
export function quantile(samples: readonly number[], share: number): number {
  const sorted = samples.toSorted((a, b) => a - b);
  const value = sorted[Math.min(sorted.length - 1, Math.ceil(share * sorted.length) - 1)];
  if (value === undefined) throw new Error('nothing was measured');
  return value;
}

/** Milliseconds that the work took. */
export async function timed(work: () => Promise<unknown>): Promise<number> {
  const began = performance.now();
  await work();
  return performance.now() - began;
}

export async function repeat<T>(times: number, work: (round: number) => Promise<T>): Promise<T[]> {
  const results: T[] = [];
  for (let round = 0; round < times; round++) results.push(await work(round));
  return results;
}

/** Runs the works in turns for this number of rounds; each gives the samples of one round. The first round is a warm-up and is dropped. */
export async function interleaved<Name extends string, Sample = number>(
  rounds: number,
  works: Record<Name, () => Promise<Sample[]>>,
): Promise<Record<Name, Sample[]>> {
  const names = Object.keys(works) as Name[]; // the keys of that very object
  const samples = Object.fromEntries(names.map((name) => [name, []])) as unknown as Record<Name, Sample[]>; // one list a name
  for (let round = 0; round <= rounds; round++) {
    for (const name of names) {
      const measured = await works[name]();
      if (round > 0) samples[name].push(...measured);
    }
  }
  return samples;
}
