import { randomBytes, randomUUID } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { sql } from '../../ground/database/sql.ts';
import { signRunToken, type RunClaims } from '../../ground/run-token.ts';
import { modelStage, type ModelStage } from '../../testing/models/model-stage.ts';

let stage: ModelStage;
let key: { id: string; key?: string | undefined };

beforeAll(async () => {
  stage = await modelStage();
  key = await stage.max.client.call('keys.create', { body: { max_budget: '1000' } });
});
afterAll(async () => await stage?.stop());

const hex = (bytes: number) => randomBytes(bytes).toString('hex');
const claimsOf = (more: Partial<RunClaims> = {}): RunClaims => ({
  agent_id: randomUUID(),
  revision_id: randomUUID(),
  key_id: key.id,
  run_id: randomUUID(),
  root_run_id: randomUUID(),
  caller_id: randomUUID(),
  chain: [],
  trace_id: hex(16),
  hidden: { inputs: false, outputs: false },
  ...more,
});

const attributes = (given: Record<string, string>) =>
  Object.entries(given).map(([name, stringValue]) => ({ key: name, value: { stringValue } }));
const spanIn = (trace_id: string, more: object = {}) => ({
  traceId: trace_id,
  spanId: hex(8),
  name: 'step',
  startTimeUnixNano: `${Date.now()}000000`,
  endTimeUnixNano: `${Date.now()}000000`,
  attributes: attributes({ 'input.value': 'question', 'output.value': 'answer', 'svc.run.id': randomUUID() }),
  ...more,
});
const requestOf = (claims: RunClaims | undefined, spans: object[], facts: Record<string, string> = {}) => {
  const token = claims && signRunToken(stage.app.keys['run-token'], claims);
  const resource = { attributes: attributes({ 'service.name': 'x', ...(token && { 'svc.run': token }), ...facts }) };
  return { resourceSpans: [{ resource, scopeSpans: [{ spans }] }] };
};

const send = async (body: string | Buffer, headers: Record<string, string> = {}) =>
  await fetch(`${stage.app.url}/v1/traces`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key.key}`, 'content-type': 'application/json', ...headers },
    body: Buffer.from(body),
  });
const sendSpans = async (claims: RunClaims | undefined, spans: object[], facts?: Record<string, string>) => {
  const answer = await send(gzipSync(JSON.stringify(requestOf(claims, spans, facts))), { 'content-encoding': 'gzip' });
  expect(answer.status).toBe(200);
  return (await answer.json()) as { partialSuccess?: { rejectedSpans: string } };
};
const stored = async (trace_id: string) =>
  await stage.app.db.all<{ input: string | null; output: string | null }>(
    sql`select source, agent_id, revision_id, run_id, caller_id, input, output from span where trace_id = ${trace_id}`,
  );
const awaited = async (trace_id: string, count: number) => {
  await expect.poll(async () => (await stored(trace_id)).length, { timeout: 10_000 }).toBe(count);
  return await stored(trace_id);
};
const countLost = async (reason: string) => {
  const row = await stage.app.db.one<{ spans: number }>(sql`select spans from span_loss where reason = ${reason}`);
  return row?.spans ?? 0;
};
const awaitLost = async (reason: string, spans: number) =>
  await expect.poll(async () => await countLost(reason), { timeout: 10_000 }).toBe(spans);

test('spans are of the run of the signed token, whatever they say themselves (I12)', async () => {
  const claims = claimsOf();
  expect(await sendSpans(claims, [spanIn(claims.trace_id)])).toEqual({});
  const { agent_id, revision_id, run_id, caller_id } = claims;
  expect(await awaited(claims.trace_id, 1)).toEqual([
    { source: 'agent', agent_id, revision_id, run_id, caller_id, input: 'question', output: 'answer' },
  ]);
});

test.each([
  ['another trace', (claims: RunClaims) => claims, hex(16)],
  ['no run', () => undefined, undefined],
  ["a run of another revision's key", (claims: RunClaims) => ({ ...claims, key_id: randomUUID() }), undefined],
])('spans of %s are counted and not stored, and the sender does not repeat them', async (_, tokenOf, trace) => {
  const claims = claimsOf();
  const trace_id = trace ?? claims.trace_id;
  const before = await countLost('no_run');
  expect(await sendSpans(tokenOf(claims), [spanIn(trace_id)])).toMatchObject({
    partialSuccess: { rejectedSpans: '1' },
  });
  // Counts are stored after the spans.
  await awaitLost('no_run', before + 1);
  expect(await stored(trace_id)).toEqual([]);
});

test('hidden content is not stored, and neither is the message of a failure', async () => {
  const claims = claimsOf({ hidden: { inputs: true, outputs: false } });
  const event = { name: 'exception', attributes: attributes({ 'exception.message': 'question' }) };
  const failed = { status: { code: 2 }, attributes: [], events: [event] };
  await sendSpans(claims, [spanIn(claims.trace_id), spanIn(claims.trace_id, failed)]);
  const spans = (await awaited(claims.trace_id, 2)).map(({ input, output }) => ({ input, output }));
  expect(spans).toEqual(
    expect.arrayContaining([
      { input: null, output: 'answer' },
      { input: null, output: null },
    ]),
  );
});

test('spans over the rate of a revision are counted, and those of another one are taken', async () => {
  const claims = claimsOf();
  const many = Array.from({ length: 2500 }, () => spanIn(claims.trace_id, { attributes: [] }));
  const { partialSuccess } = await sendSpans(claims, many);
  expect(Number(partialSuccess?.rejectedSpans)).toBeGreaterThan(400);
  await awaitLost('too_many', Number(partialSuccess?.rejectedSpans));
  key = await stage.max.client.call('keys.create', { body: { max_budget: '1000' } });
  const other = claimsOf();
  expect(await sendSpans(other, [spanIn(other.trace_id)])).toEqual({});
});

test('spans that an agent has dropped are counted', async () => {
  const before = await countLost('not_sent');
  expect(await sendSpans(undefined, [], { 'svc.dropped_spans': '7' })).toEqual({});
  await awaitLost('not_sent', before + 7);
});

test.each([
  ['no gzip', Buffer.from('{}'), { 'content-encoding': 'gzip' }, 400],
  ['too large after unpacking', gzipSync(Buffer.alloc(5 * 1024 * 1024, ' ')), { 'content-encoding': 'gzip' }, 413],
  ['another coding', Buffer.from('{}'), { 'content-encoding': 'br' }, 415],
  ['protobuf', Buffer.from(''), { 'content-type': 'application/x-protobuf' }, 415],
  ['no request of OTLP', Buffer.from('{"resourceSpans":1}'), {}, 400],
  ['no key', Buffer.from('{}'), { authorization: 'Bearer nothing' }, 401],
])('a body with %s is refused for ever', async (_, body, headers, status) => {
  expect((await send(body, headers)).status).toBe(status);
});
