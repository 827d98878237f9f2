// The recorded spans are of the libraries themselves: openinference-instrumentation-openai 0.1.66 and -langchain 0.1.80,
// opentelemetry-instrumentation-openai and -langchain 0.62.4 (OpenLLMetry), opentelemetry-instrumentation-genai-openai (OpenTelemetry).
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { spansOf } from './normalise.ts';
import type { Span } from './span.ts';

const owner = { agent_id: 'a', revision_id: 'r', run_id: null, team_id: 't', caller_id: null };
const recorded = JSON.parse(
  readFileSync(join(import.meta.dirname, '../../testing/stored/recorded-spans.json'), 'utf8'),
) as {
  dialect: string;
  span: Record<string, unknown> & { name: string };
}[];

const base = {
  traceId: '0AF7651916cd43dd8448eb211c80319c',
  spanId: 'b7ad6b7169203331',
  parentSpanId: '',
  startTimeUnixNano: '1790000000123456789',
  endTimeUnixNano: '1790000001123456789',
};
const requestOf = (...spans: unknown[]) => ({ resourceSpans: [{ scopeSpans: [{ spans }] }] });
const normalised = (span: object): Span => {
  const { spans } = spansOf(requestOf({ ...base, name: 'x', ...span }), owner);
  if (spans[0] === undefined) throw new Error('the span was rejected');
  return spans[0];
};
const tokens = { input_tokens: 12, output_tokens: 7 };
const llm: Partial<Span> = {
  kind: 'llm',
  model: 'gpt-4o-mini-2024',
  provider: 'openai',
  status: 'ok',
  error: null,
  ...tokens,
};
const embedding: Partial<Span> = {
  kind: 'embedding',
  model: 'text-embedding-3-small',
  provider: 'openai',
  input_tokens: 3,
};
const failed: Partial<Span> = { kind: 'chain', status: 'error', error: 'ValueError' };

test.each<[string, string, Partial<Span>, string | null, string | null]>([
  ['openinference', 'ChatCompletion', llm, '"content": "hi"', '"content":"Sunny."'],
  ['openinference', 'CreateEmbeddings', embedding, '"input": "hi"', '"embedding"'],
  ['openinference', 'weather', { kind: 'tool', model: null, provider: null }, 'Bern', 'sunny in Bern'],
  ['openinference', 'bad', failed, '"x"', 'secret text'],
  ['openllmetry', 'openai.chat', llm, '"content": "hi"', '"content": "Sunny."'],
  ['openllmetry', 'openai.embeddings', embedding, '"content": "hi"', null],
  ['openllmetry', 'execute_tool weather', { kind: 'tool', model: null, provider: null }, 'Bern', 'sunny in Bern'],
  ['openllmetry', 'execute_task bad', failed, '"x"', 'secret text'],
  ['otel-genai', 'chat gpt-4o-mini', llm, '"content":"hi"', '"content":"Sunny."'],
  ['otel-genai', 'embeddings text-embedding-3-small', embedding, null, null],
])('%s: %s', (dialect, name, facts, input, output) => {
  const span = recorded.find((one) => one.dialect === dialect && one.span.name === name)?.span ?? {};
  const read = normalised(span);
  expect(read).toMatchObject({ ...owner, source: 'agent', cost_nano_usd: null, ...facts });
  expect(read.input).toEqual(input === null ? null : expect.stringContaining(input));
  expect(read.output).toEqual(output === null ? null : expect.stringContaining(output));
  // What a reader without permission for the content sees.
  expect(JSON.stringify([read.error, read.attributes])).not.toMatch(/hi"|Sunny|sunny|Bern|secret text/);
});

test('ids and times are read, and nothing of a span says whose it is', () => {
  const run_id = '0190b2f4-6c1e-7a52-9f0e-2b7a1c9d4e10';
  const attribute = (key: string, stringValue: string) => ({ key, value: { stringValue } });
  const attributes = [attribute('svc.run.id', run_id), attribute('agent_id', 'other'), attribute('caller_id', 'other')];
  expect(normalised({ parentSpanId: 'C7AD6B7169203331', attributes })).toMatchObject({
    ...owner,
    trace_id: '0af7651916cd43dd8448eb211c80319c',
    span_id: 'b7ad6b7169203331',
    parent_id: 'c7ad6b7169203331',
    started_us: 1_790_000_000_123_456,
    ended_us: 1_790_000_001_123_456,
    attributes: {},
  });
});

test('older names and messages in parts are read', () => {
  const attributes = [
    ['llm.request.type', 'chat'],
    ['gen_ai.system', 'Anthropic'],
    ['gen_ai.request.model', 'claude'],
    ['gen_ai.prompt.0.content', 'hi'],
    ['gen_ai.completion.0.content', 'Hello'],
  ].map(([key, stringValue]) => ({ key, value: { stringValue } }));
  const counts = [{ key: 'gen_ai.usage.prompt_tokens', value: { intValue: 5 } }];
  expect(normalised({ attributes: [...attributes, ...counts] })).toMatchObject({
    kind: 'llm',
    provider: 'Anthropic',
    model: 'claude',
    input: '{"0.content":"hi"}',
    output: '{"0.content":"Hello"}',
    input_tokens: 5,
    output_tokens: null,
  });
});

test('a span without a valid id or time is rejected, and the others of its request are read', () => {
  const good = { ...base, name: 'good' };
  const bad = [
    { ...good, traceId: '0'.repeat(32) },
    { ...good, spanId: 'short' },
    { ...good, endTimeUnixNano: '-1' },
    { ...good, endTimeUnixNano: '9'.repeat(20) },
    { ...good, name: undefined },
    null,
    'text',
  ];
  const { spans, rejected } = spansOf(requestOf(good, ...bad), owner);
  expect([spans.map(({ name }) => name), rejected]).toEqual([['good'], bad.length]);
  expect(() => spansOf({ resourceSpans: 'x' }, owner)).toThrow(/resourceSpans/);
});
