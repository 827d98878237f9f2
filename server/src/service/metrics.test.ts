import { afterAll, beforeAll, expect, test } from 'vitest';
import { testConfig } from '../testing/config.ts';
import { modelStage, type ModelStage } from '../testing/models/model-stage.ts';
import { makeSpan } from '../testing/stored/make-span.ts';
import { testApp, type TestApp } from '../testing/test-app.ts';
import { openMetrics } from '../models/traces/metrics.ts';

const token = 'a token of twenty-four characters';
let stage: ModelStage;
let closed: TestApp;
beforeAll(async () => {
  stage = await modelStage({ config: { traces: { ...testConfig().traces, metrics_token: token } } });
  closed = await testApp();
});
afterAll(async () => {
  await stage?.stop();
  await closed?.stop();
});

const read = async (url: string, authorization?: string) =>
  await fetch(`${url}/metrics`, { headers: authorization === undefined ? {} : { authorization } });

test('the bearer of METRICS_TOKEN reads the metrics, and nobody else, also not an admin', async () => {
  const answered = await read(stage.app.url, `Bearer ${token}`);
  expect([answered.status, answered.headers.get('content-type')]).toEqual([
    200,
    'text/plain; version=0.0.4; charset=utf-8',
  ]);
  for (const other of [undefined, '', token, `Bearer ${token}x`, `Bearer ${stage.app.admin.token}`])
    expect((await read(stage.app.url, other)).status).toBe(401);
  for (const other of [undefined, 'Bearer ', 'Bearer undefined', `Bearer ${closed.admin.token}`])
    expect((await read(closed.url, other)).status).toBe(404);
});

test('a call to a model is in the metrics with its tokens, and an unknown name is no label', async () => {
  const key = await stage.max.client.call('keys.create', { body: { max_budget: '1000' } });
  await stage.call(key.key);
  await stage.call(key.key, { model: 'made-up-name' });
  await expect
    .poll(async () => await (await read(stage.app.url, `Bearer ${token}`)).text())
    .toContain('gen_ai_token_type="output"} 10');
  const text = await (await read(stage.app.url, `Bearer ${token}`)).text();
  const labels = 'gen_ai_operation_name="chat",gen_ai_provider_name="test",gen_ai_request_model="upstream-small"';
  expect(text).toContain(`gen_ai_client_token_usage_sum{${labels},gen_ai_token_type="input"} 20`);
  expect(text).toContain(`gen_ai_client_operation_duration_seconds_count{${labels}} 1`);
  expect(text).toMatch(
    /gen_ai_client_operation_duration_seconds_count\{gen_ai_operation_name="chat",error_type="\w+"\} 1/,
  );
  expect(text).not.toContain('made-up-name');
});

test('buckets are cumulative, labels are escaped, and losses have their reason', () => {
  const metrics = openMetrics(() => ({ queue_full: 3 }));
  metrics.add([makeSpan({ name: 'invoke a"b\\c\nd' }), makeSpan({ name: 'invoke a"b\\c\nd', source: 'agent' })]);
  const lines = metrics.print().split('\n');
  const name = 'gen_ai_operation_name="invoke_agent",gen_ai_agent_name="a\\"b\\\\c\\nd"';
  expect(lines).toContain(`gen_ai_client_operation_duration_seconds_bucket{${name},le="0.64"} 0`);
  expect(lines).toContain(`gen_ai_client_operation_duration_seconds_bucket{${name},le="1.28"} 1`);
  expect(lines).toContain(`gen_ai_client_operation_duration_seconds_bucket{${name},le="+Inf"} 1`);
  expect(lines).toContain('gantry_spans_lost_total{reason="queue_full"} 3');
});

test('the number of series has a bound', () => {
  const metrics = openMetrics(() => ({}));
  metrics.add(Array.from({ length: 3000 }, (_, n) => makeSpan({ name: `invoke agent-${n}` })));
  expect(metrics.print().match(/_count\{/g)).toHaveLength(2000);
});
