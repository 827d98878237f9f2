import { expect, test } from 'vitest';
import { freshHome, runSvc } from '../testing/run-svc.ts';
import { data, problem, scriptService, type Reply } from '../testing/scripted-service.ts';

const where = (url: string) => ({ home: freshHome(), env: { SERVICE_URL: url, SERVICE_API_TOKEN: 't' }, stdin: '' });

const common = {
  agent: 'greeter',
  run_id: null,
  started_at: '2026-01-31T12:00:00.000Z',
  status: 'ok',
  error: null,
  input_tokens: null,
  output_tokens: null,
  usd: null,
  revision_id: null,
  model: null,
  provider: null,
  input: null,
  output: null,
  content: 'none',
  attributes: {},
};
const trace = {
  trace_id: '4bf92f3577b34da6a3ce929d0e0e4736',
  started_at: '2026-01-31T12:00:00.000Z',
  duration_ms: 1234,
  status: 'error',
  input_tokens: 20,
  output_tokens: 10,
  usd: '0.003',
  feedback: [
    {
      run_id: '0190a5e0-7c1a-7cc3-98c4-dc0c0c07398f',
      is_good: false,
      reason: 'a wrong price',
      given_at: '2026-01-31T12:01:00.000Z',
    },
  ],
  spans: [
    {
      ...common,
      span_id: 'a',
      parent_id: null,
      name: 'invoke greeter',
      kind: 'agent',
      source: 'ingress',
      duration_ms: 1234,
      input: '{"input":"hi"}',
      content: 'shown',
      attributes: { 'guardrail.content_filter.ingress_out.blocked': 1 },
    },
    {
      ...common,
      span_id: 'b',
      parent_id: 'a',
      name: 'chat small',
      kind: 'llm',
      source: 'gateway',
      started_at: '2026-01-31T12:00:00.100Z',
      duration_ms: 200,
      input_tokens: 20,
      output_tokens: 10,
      usd: '0.003',
      status: 'error',
      error: 'model_unavailable',
      attributes: {
        attempts: ['small failed'],
        'guardrail.pii_detection.model_in.redacted': 2,
        'guardrail.pii_detection.model_out.redacted': 1,
      },
    },
  ],
};

test('a trace is a tree with times, tokens, cost, errors and what guardrails did, and with --content its texts', async () => {
  await using service = await scriptService({ [`GET /api/v1/traces/${trace.trace_id}`]: data(trace) });
  const { stdout } = await runSvc(['trace', 'show', trace.trace_id], where(service.url));
  expect(stdout).toMatch(/20 in, 10 out/);
  expect(stdout).toMatch(/^invoke greeter +greeter +\+0\.0 ms +1234 ms.+ blocked content_filter$/m);
  expect(stdout).toMatch(
    /^ {2}chat small +greeter +\+100 ms +200 ms +20 +10 +0\.003 +model_unavailable +redacted pii_detection 3$/m,
  );
  expect(stdout).not.toContain('{"input":"hi"}');
  const told = await runSvc(['trace', 'show', trace.trace_id, '--content'], where(service.url));
  expect(told.stdout).toContain('{"input":"hi"}');
  const programs = await runSvc(['trace', 'show', trace.trace_id, '--json'], where(service.url));
  expect(JSON.parse(programs.stdout)).toEqual(trace);
});

test('a trace shows the message of an exception, the number of repeated refusals, and why it has no content', async () => {
  const failed = { ...common, kind: 'chain', source: 'agent', status: 'error', error: 'ValueError', duration_ms: 1 };
  const [call, chat] = trace.spans;
  const spans = [
    { ...call, input: null, content: 'none' },
    { ...failed, span_id: 'c', parent_id: 'a', name: 'ask', output: 'no such thing\nline two', content: 'shown' },
    { ...chat, attributes: { refused_calls: 4999 } },
  ];
  await using service = await scriptService({ [`GET /api/v1/traces/${trace.trace_id}`]: data({ ...trace, spans }) });
  const { stdout } = await runSvc(['trace', 'show', trace.trace_id], where(service.url));
  expect(stdout).toMatch(/^ {2}ask .+ ValueError: no such thing +-$/m);
  expect(stdout).toMatch(/^ {2}chat small × 4999 /m);
  expect(stdout).toContain('Its caller found the answer bad: a wrong price');
  await using silent = await scriptService({
    [`GET /api/v1/traces/${trace.trace_id}`]: data({ ...trace, spans: spans.slice(0, 1) }),
  });
  const told = await runSvc(['trace', 'show', trace.trace_id, '--content'], where(silent.url));
  expect(told.stdout.replaceAll(/\s+/g, ' ')).toContain('No content is recorded. An agent with secrets');
});

test('a call with --trace waits for its own trace and for the spans of the agent, and prints them below the answer', async () => {
  let asked = 0;
  const shown: Reply = (response, sent) => {
    asked += 1;
    // The call's own span comes first.
    const arrived = data({ ...trace, spans: trace.spans.slice(0, asked < 5 ? 1 : undefined) });
    const reply = asked < 3 ? problem(404, 'not_found', 'There is no such trace') : arrived;
    reply(response, sent);
  };
  const routes: Record<string, Reply> = {
    'POST /agents/greeter/invoke': (response) =>
      void response
        .writeHead(200, { 'content-type': 'application/json' })
        .end('{"output":"Hello Ada","status":"done"}'),
  };
  // The command chooses the id of the trace.
  const withTraces = new Proxy(routes, {
    get: (known, route) => (String(route).startsWith('GET /api/v1/traces/') ? shown : known[String(route)]),
  });
  await using service = await scriptService(withTraces);
  const { stdout } = await runSvc(['invoke', 'greeter', '{}', '--trace'], where(service.url));
  expect(stdout).toMatch(/^Hello Ada\n.*invoke greeter.*chat small/s);
});

test('a failed call names the command that shows its trace', async () => {
  await using service = await scriptService({
    'POST /agents/greeter/invoke': problem(502, 'agent_error', 'The agent has failed'),
  });
  const { exit, stderr } = await runSvc(['invoke', 'greeter', '{}'], where(service.url));
  const sent = /^00-([0-9a-f]{32})-/.exec(String(service.asked[0]?.headers['traceparent']))?.[1];
  expect([exit, sent]).toEqual([1, expect.stringMatching(/./)]);
  expect(stderr).toContain(`svc trace show ${sent}`);
});

test('logs with --request print only the lines with its id', async () => {
  const written = ['one run_id=abc', 'two run_id=def'];
  await using service = await scriptService({
    'GET /api/v1/agents/greeter/logs': (response, { query }) => {
      const request = new URLSearchParams(query).get('request') ?? '';
      const lines = written
        .filter((line) => line.includes(request))
        .map((line) => JSON.stringify({ at: 't', stream: 'stdout', line, revision: 'r', instance: 1 }));
      response
        .writeHead(200, { 'content-type': 'text/event-stream' })
        .end(lines.map((data) => `data: ${data}\n\n`).join(''));
    },
  });
  const { stdout } = await runSvc(['logs', 'greeter', '--request', 'def'], where(service.url));
  expect(stdout).toContain('two');
  expect(stdout).not.toContain('one');
});
