import { expect, test } from 'vitest';
import { readConfig } from './config.ts';

const read = (environment: Record<string, string>) =>
  readConfig({ HOME: '/nowhere', XDG_CONFIG_HOME: '/nowhere', ...environment });

test('a collector has its address and its headers, and content stays here by default', () => {
  expect(read({}).traces).toMatchObject({ keep_days: 14, metrics_token: undefined, export: undefined });
  expect(
    read({
      OTEL_EXPORTER_OTLP_ENDPOINT: 'https://collector.example/otlp/',
      OTEL_EXPORTER_OTLP_HEADERS: 'authorization=Basic%20abc, x-key=1',
    }).traces.export,
  ).toEqual({
    url: 'https://collector.example/otlp/v1/traces',
    headers: { authorization: 'Basic abc', 'x-key': '1' },
    has_content: false,
  });
});

test.each([
  ['OTEL_EXPORTER_OTLP_HEADERS', 'no pair'],
  ['OTEL_EXPORTER_OTLP_HEADERS', 'a=%'],
  ['OTEL_EXPORTER_OTLP_HEADERS', 'a b=c'],
  ['OTEL_EXPORTER_OTLP_HEADERS', 'a=b%0d%0ac: d'],
  ['OTEL_EXPORTER_OTLP_ENDPOINT', 'grpc://collector'],
  ['METRICS_TOKEN', 'short'],
  ['TRACE_KEEP_DAYS', '0'],
])('%s=%s is refused', (name, value) => {
  expect(() => read({ [name]: value })).toThrow(name);
});
