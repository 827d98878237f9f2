/** What is left of the limits per minute. */
export interface RatesLeft {
  requests?: RateLeft | undefined;
  tokens?: RateLeft | undefined;
}

interface RateLeft {
  limit: number;
  remaining: number;
  /** Until all of it is left. */
  reset_seconds: number;
}

/** As vendors of models name them. */
export function rateHeaders(left: RatesLeft): Record<string, string> {
  const headers = (['requests', 'tokens'] as const).flatMap((what): [string, string][] => {
    const rate = left[what];
    if (rate === undefined) return [];
    return [
      [`x-ratelimit-limit-${what}`, String(rate.limit)],
      [`x-ratelimit-remaining-${what}`, String(rate.remaining)],
      [`x-ratelimit-reset-${what}`, `${rate.reset_seconds}s`],
    ];
  });
  return Object.fromEntries(headers);
}
