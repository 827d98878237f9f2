// One trace from the caller's request to the model and back. A plain HTTP server stands in for the container: it passes the run and the trace
// on, as the wrapper does.
import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { readRunToken, signRunToken } from '../../ground/run-token.ts';
import { sql } from '../../ground/database/sql.ts';
import { standInFor } from '../../testing/agents/agent-stand-in.ts';
import { modelStage, type ModelStage } from '../../testing/models/model-stage.ts';
import { storeAgent, type StoredAgent } from '../../testing/stored/stored-agent.ts';

let stage: ModelStage;
let key: { id: string; key?: string | undefined };
let agent: StoredAgent;
let hidden: StoredAgent;
let behaviour: (request: IncomingMessage, response: ServerResponse) => Promise<void> | void;

beforeAll(async () => {
  stage = await modelStage();
  key = await stage.max.client.call('keys.create', { body: { max_budget: '1000' } });
  agent = await storeAgent(stage.app, stage.max.email, { name: 'greeter' });
  hidden = await storeAgent(stage.app, stage.max.email, { name: 'quiet', yaml: 'access: { visibility: private }' });
  for (const one of [agent, hidden])
    await standInFor(stage.app, one, (request, response) => void behaviour(request, response));
});
afterAll(async () => await stage?.stop());

const trace_id = '0af7651916cd43dd8448eb211c80319c';
const revision_id = randomUUID();
const send = async (name: string, path: 'invoke' | 'stream', headers: Record<string, string> = {}) =>
  await fetch(`${stage.app.url}/agents/${name}/${path}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${stage.max.token}`, 'content-type': 'application/json', ...headers },
    body: '{"input":{"text":"hi"}}',
  });
const spansOf = async (id: string) =>
  await expect
    .poll(async () => await stage.max.client.call('traces.show', { params: { id } }).catch(() => undefined))
    .toBeDefined()
    .then(async () => await stage.max.client.call('traces.show', { params: { id } }));

const require = async (...required_guardrails: object[]) =>
  await stage.app.admin.client.call('org.set', { body: { required_guardrails } as object });

/** Two calls to a model, then the answer. */
const callsModels = async (request: IncomingMessage, response: ServerResponse) => {
  const run_id = String(request.headers['x-svc-run-id']);
  const token = signRunToken(stage.app.keys['run-token'], {
    agent_id: agent.asset_id,
    revision_id,
    key_id: key.id,
    run_id,
    root_run_id: run_id,
    caller_id: randomUUID(),
    chain: [],
    trace_id,
    hidden: { inputs: false, outputs: false },
  });
  const headers = { 'x-svc-run': token, traceparent: String(request.headers['traceparent']) };
  await stage.call(key.key, { headers });
  await stage.call(key.key, { headers, model: 'large' });
  response.writeHead(200, { 'content-type': 'application/json' }).end('{"output":1}');
};

test('a call and its calls to models are one tree, with the tokens and the cost of the ledger', async () => {
  behaviour = callsModels;
  const answered = await send('greeter', 'invoke', { traceparent: `00-${trace_id}-b7ad6b7169203331-01` });
  expect(await answered.json()).toEqual({ output: 1 });
  await expect.poll(async () => (await spansOf(trace_id)).spans.length).toBe(3);
  const { spans, ...sums } = await spansOf(trace_id);
  const [root] = spans;
  expect(sums).toMatchObject({ status: 'ok', input_tokens: 40, output_tokens: 20, usd: '0.006' });
  expect(spans).toMatchObject([
    {
      name: 'invoke greeter',
      source: 'ingress',
      parent_id: 'b7ad6b7169203331',
      run_id: answered.headers.get('x-run-id'),
      input: '{"input":{"text":"hi"}}',
      output: '{"output":1}',
    },
    {
      name: 'chat small',
      source: 'gateway',
      revision_id,
      parent_id: root?.span_id,
      model: 'upstream-small',
      provider: 'test',
    },
    { name: 'chat large', source: 'gateway', parent_id: root?.span_id, model: 'upstream-large', usd: '0.003' },
  ]);
  const rows = await stage.app.db.all<{ call_id: string }>(
    sql`select call_id from ledger where trace_id = ${trace_id} order by at`,
  );
  expect(spans.slice(1).map(({ attributes }) => attributes['call_id'])).toEqual(rows.map(({ call_id }) => call_id));
});

test.each([
  ['a refusal', 422, '{"code":"invalid"}', 'invalid'],
  ['a failure without a code', 500, '{}', 'status_500'],
])('%s of the agent is an error in the trace', async (_, status, body, error) => {
  behaviour = (__, response) => void response.writeHead(status, { 'content-type': 'application/json' }).end(body);
  const id = (await send('greeter', 'invoke')).headers.get('x-trace-id') ?? '';
  expect(await spansOf(id)).toMatchObject({ status: 'error', spans: [{ error, output: body }] });
});

test('a stream ends its span with its last event, with its output and its failure', async () => {
  const events = 'data: {"type":"RUN_STARTED"}\n\ndata: {"type":"RUN_ERROR","code":"boom","message":"x"}\n\n';
  behaviour = (_, response) => void response.writeHead(200, { 'content-type': 'text/event-stream' }).end(events);
  const answered = await send('greeter', 'stream');
  expect(await answered.text()).toBe(events);
  expect(await spansOf(answered.headers.get('x-trace-id') ?? '')).toMatchObject({
    spans: [{ name: 'stream greeter', status: 'error', error: 'boom', output: events }],
  });
});

test('the trace of a private agent has no content', async () => {
  behaviour = (_, response) => void response.writeHead(200, { 'content-type': 'application/json' }).end('{"output":1}');
  const id = (await send('quiet', 'invoke')).headers.get('x-trace-id') ?? '';
  expect(await spansOf(id)).toMatchObject({ spans: [{ agent: 'quiet', content: 'none', input: null, output: null }] });
});

/** Hidden from the spans of the agent. */
const hiddenFromSteps = ({ headers }: IncomingMessage) =>
  readRunToken(stage.app.keys['run-token'], String(headers['x-svc-run']))?.claims.hidden;

test.each([
  ['inputs', { inputs: true, outputs: false }, { input: null, output: '{"output":1}' }],
  ['outputs', { inputs: false, outputs: true }, { input: '{"input":{"text":"hi"}}', output: null }],
])(
  'the organisation hides the %s of all agents from their traces, also of an agent that says otherwise',
  async (name, steps, shown) => {
    const open = await storeAgent(stage.app, stage.max.email, {
      name: `open-${name}`,
      yaml: 'deploy: { tracing: { hide_inputs: false, hide_outputs: false } }',
    });
    let got: unknown;
    await standInFor(stage.app, open, (request, response) => {
      got = { header: request.headers['x-svc-hidden'], token: hiddenFromSteps(request) };
      response.writeHead(200, { 'content-type': 'application/json' }).end('{"output":1}');
    });
    const spanAfter = async () => {
      const id = (await send(`open-${name}`, 'invoke')).headers.get('x-trace-id') ?? '';
      return (await spansOf(id)).spans[0];
    };
    const set = async (isHidden: boolean) =>
      await stage.app.admin.client.call('org.set', { body: { [`hide_trace_${name}`]: isHidden } });
    expect(await spanAfter()).toMatchObject({ input: '{"input":{"text":"hi"}}', output: '{"output":1}' });
    await set(true);
    try {
      expect(await spanAfter()).toMatchObject(shown);
      expect(got).toEqual({ header: name, token: steps });
    } finally {
      await set(false);
    }
  },
);

test('the steps of an agent whose answer a guardrail checks have no content in a trace', async () => {
  const seen: unknown[] = [];
  behaviour = (request, response) => {
    seen.push(hiddenFromSteps(request));
    response.writeHead(200, { 'content-type': 'application/json' }).end('{"output":"ask eve@example.com"}');
  };
  await send('greeter', 'invoke');
  await require({ name: 'pii_detection' });
  try {
    const id = (await send('greeter', 'invoke')).headers.get('x-trace-id') ?? '';
    expect(await spansOf(id)).toMatchObject({ spans: [{ output: '{"output":"ask [EMAIL_1]"}' }] });
  } finally {
    await require();
  }
  expect(seen).toEqual([
    { inputs: false, outputs: false },
    { inputs: true, outputs: true },
  ]);
});

test('a refused call to a model is in a trace of its own', async () => {
  const response = await fetch(`${stage.app.url}/v1/chat/completions`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${key.key}` },
    body: JSON.stringify({ model: 'unknown', messages: [{ role: 'user', content: 'Hello' }] }),
  });
  const trace = await spansOf(response.headers.get('x-trace-id') ?? '');
  expect(trace).toMatchObject({ usd: '0.00', spans: [{ name: 'chat unknown', status: 'error', source: 'gateway' }] });
  expect((await stage.max.client.call('traces.list', {})).items[0]).toMatchObject({ trace_id: trace.trace_id });
});

test('a trace marks what guardrails did at the ingress, also of blocked calls and streams, without their text', async () => {
  await require({ name: 'pii_detection' }, { name: 'content_filter', options: { words: ['unicorns'] } });
  try {
    const said = { hidden: '{"output":"ask eve@example.com or max@example.com"}', blocked: '{"output":"unicorns"}' };
    behaviour = ({ url }, response) =>
      void (url === '/stream'
        ? response
            .writeHead(200, { 'content-type': 'text/event-stream' })
            .end('data: {"type":"TEXT_MESSAGE_CONTENT","messageId":"m","delta":"unicorns"}\n\n')
        : response.writeHead(200, { 'content-type': 'application/json' }).end(said.hidden));
    const spanAfter = async (path: 'invoke' | 'stream') => {
      const answered = await send('greeter', path);
      await answered.text();
      return (await spansOf(answered.headers.get('x-trace-id') ?? '')).spans;
    };
    const blocked = {
      status: 'error',
      error: 'guardrail_blocked',
      attributes: { 'guardrail.content_filter.ingress_out.blocked': 1 },
    };
    expect(await spanAfter('invoke')).toMatchObject([
      { status: 'ok', attributes: { 'guardrail.pii_detection.ingress_out.redacted': 2 } },
    ]);
    expect(await spanAfter('stream')).toMatchObject([blocked]);
    behaviour = (_, response) => void response.writeHead(200, { 'content-type': 'application/json' }).end(said.blocked);
    const spans = await spanAfter('invoke');
    expect(spans).toMatchObject([blocked]);
    expect(JSON.stringify(spans)).not.toContain('unicorns');
  } finally {
    await require();
  }
});

test('a trace marks what guardrails did at the gateway, also of a blocked request and a blocked stream', async () => {
  const ask = async (content: string, more: object = {}) => {
    const answered = await fetch(`${stage.app.url}/v1/chat/completions`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${key.key}` },
      body: JSON.stringify({ model: 'small', messages: [{ role: 'user', content }], ...more }),
    });
    await answered.text();
    return (await spansOf(answered.headers.get('x-trace-id') ?? '')).spans;
  };
  const blockedAt = (place: string) => ({
    status: 'error',
    error: 'guardrail_blocked',
    attributes: { [`guardrail.content_filter.${place}.blocked`]: 1 },
  });
  await require({ name: 'pii_detection' }, { name: 'content_filter', options: { words: ['paris', 'unicorns'] } });
  try {
    expect(await ask('about unicorns')).toMatchObject([blockedAt('model_in')]);
    expect(await ask('hello')).toMatchObject([blockedAt('model_out')]);
    expect(await ask('hello', { stream: true })).toMatchObject([{ ...blockedAt('model_out'), output_tokens: 10 }]);
    await require({ name: 'pii_detection' });
    const [span] = await ask('I am eve@example.com');
    expect(span).toMatchObject({ status: 'ok', attributes: { 'guardrail.pii_detection.model_in.redacted': 1 } });
    expect(JSON.stringify(span)).not.toContain('eve@');
  } finally {
    await require();
  }
});
