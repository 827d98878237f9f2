// The settings of traces, as a part of config.ts.
import { z } from 'zod';

export const traceSettings = {
  TRACE_KEEP_DAYS: z.coerce.number().int().min(1).max(365).default(14).describe('the days that traces are kept'),
  TRACE_MAX_MB: z.coerce
    .number()
    .int()
    .min(16)
    .default(2048)
    .describe(
      'the space of all traces. The oldest day is deleted first. When the last two days need more, further spans are only counted',
    ),
};

export interface TracesConfig {
  keep_days: number;
  max_bytes: number;
}

export function tracesConfig(given: { TRACE_KEEP_DAYS: number; TRACE_MAX_MB: number }): TracesConfig {
  return { keep_days: given.TRACE_KEEP_DAYS, max_bytes: given.TRACE_MAX_MB * 1024 ** 2 };
}
