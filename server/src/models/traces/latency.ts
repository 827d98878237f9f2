/** The upper bounds of the buckets in milliseconds. A last bucket has all slower calls. The rows of the database have this order. */
export const latency_bounds_ms = [50, 100, 250, 500, 1000, 2500, 5000, 10_000, 30_000, 60_000, 300_000] as const;

export function newHistogram(): number[] {
  return Array<number>(latency_bounds_ms.length + 1).fill(0);
}

export function bucketOf(ms: number, bounds: readonly number[] = latency_bounds_ms): number {
  const bucket = bounds.findIndex((bound) => ms <= bound);
  return bucket < 0 ? bounds.length : bucket;
}

/** An estimate: calls are taken as evenly spread within their bucket. The last bucket counts as its lower bound. Null without calls. */
export function quantile(histogram: readonly number[], share: number): number | null {
  const all = histogram.reduce((sum, calls) => sum + calls, 0);
  if (all === 0) return null;
  let before = 0;
  for (const [bucket, calls] of histogram.entries()) {
    if (calls > 0 && before + calls >= all * share) {
      const low = latency_bounds_ms[bucket - 1] ?? 0;
      const high = latency_bounds_ms[bucket] ?? low;
      return Math.round(low + ((high - low) * (all * share - before)) / calls);
    }
    before += calls;
  }
  throw new Error('a histogram ended before its sum');
}
