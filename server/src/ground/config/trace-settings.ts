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
  TRACE_SAMPLE_PERCENT: z.coerce
    .number()
    .min(0)
    .max(100)
    .default(100)
    .describe('the share of traces that is kept longer than five minutes. Failed and slow ones are always kept'),
  TRACE_SLOW_MS: z.coerce.number().int().min(1).default(5000).describe('a trace that took this long is slow'),
  OTEL_EXPORTER_OTLP_ENDPOINT: z
    .url({ protocol: /^https?$/ })
    .optional()
    .describe(
      'a trace collector of your own, which gets a copy of each span. The service adds /v1/traces, and sends Protobuf. Default: no copies',
    ),
  OTEL_EXPORTER_OTLP_HEADERS: z
    .string()
    .transform((text, context) => {
      const headers = readHeaders(text);
      if (headers === undefined)
        context.addIssue({ code: 'custom', message: 'must be name=value, separated by commas' });
      return headers ?? {};
    })
    .default({})
    .describe('headers for the trace collector: name=value, separated by commas, with percent-encoded values'),
  METRICS_TOKEN: z
    .string()
    .min(24, 'must have 24 characters or more')
    .optional()
    .describe('the bearer token for /metrics, which each process serves. Default: /metrics is not served'),
  OTEL_EXPORT_CONTENT: z
    .stringbool()
    .default(false)
    .describe('whether the trace collector also gets the input and output of spans. Its users can then read them'),
};

export interface TracesConfig {
  keep_days: number;
  max_bytes: number;
  sampling: { share: number; slow_ms: number };
  metrics_token: string | undefined;
  export: { url: string; headers: Readonly<Record<string, string>>; has_content: boolean } | undefined;
}

type Given = z.output<z.ZodObject<typeof traceSettings>>;

export function tracesConfig(given: Given): TracesConfig {
  const base = given.OTEL_EXPORTER_OTLP_ENDPOINT;
  return {
    keep_days: given.TRACE_KEEP_DAYS,
    max_bytes: given.TRACE_MAX_MB * 1024 ** 2,
    sampling: { share: given.TRACE_SAMPLE_PERCENT / 100, slow_ms: given.TRACE_SLOW_MS },
    metrics_token: given.METRICS_TOKEN,
    export:
      base === undefined
        ? undefined
        : {
            url: `${base.replace(/\/$/, '')}/v1/traces`,
            headers: given.OTEL_EXPORTER_OTLP_HEADERS,
            has_content: given.OTEL_EXPORT_CONTENT,
          },
  };
}

function readHeaders(text: string): Record<string, string> | undefined {
  const pairs = text.split(',').map((pair) => /^\s*([\w-]+)\s*=\s*(.*?)\s*$/.exec(pair));
  try {
    return Object.fromEntries(
      pairs.map((found) => {
        if (found === null) throw new URIError();
        const value = decodeURIComponent(found[2] ?? '');
        if (/[^\t\x20-\x7e]/.test(value)) throw new URIError();
        return [found[1] ?? '', value];
      }),
    );
  } catch {
    return undefined;
  }
}
