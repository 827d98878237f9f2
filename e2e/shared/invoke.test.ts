// The one path to an agent, from a plain HTTP client to a container and back. The tests cover allowed and refused calls, and parts that are
// stopped, replaced or killed in the middle.
import { readFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { beforeAll, describe, expect, test, vi } from 'vitest';
import { callAgent, type Agent } from '../call-agent.ts';
import { engineOf, type Seen } from '../engine-of.ts';
import type { Installation } from '../installation.ts';
import { agentYaml, writeProject } from '../write-project.ts';
import { sync_budget_seconds } from './limits.ts';
import { sharedInstallation } from './shared-installation.ts';
import { teams } from './teams.ts';

const prober = await readFile(join(import.meta.dirname, '../agents/prober.py'), 'utf8');

let gantry: Installation;
let seen: Seen;
/** Callers of the agent `prober`: two of its team, and an outsider. */
let cal: Agent;
let dora: Agent;
let otto: Agent;
let token: string;

beforeAll(async () => {
  gantry = await sharedInstallation('callers', teams.langgraph);
  for (const name of ['cal', 'dora', 'otto']) await gantry.person(name);
  for (const name of ['cal', 'dora'])
    await gantry.must(`svc team add ${gantry.team} user:${name}@example.com --role viewer`);
  await writeProject(gantry, 'prober', { 'agent.py': prober });
  await writeProject(gantry, 'hidden', {
    'agent.yaml': agentYaml('hidden', 'access:\n  visibility: team\n', gantry.team),
  });
  await gantry.must('svc deploy', { in: 'prober' });
  await gantry.must('svc submit --message "not deployed"', { in: 'hidden' });
  const of = async (name: string, agent = 'prober') =>
    callAgent(`${gantry.url}/agents/${agent}`, await gantry.token(name));
  [cal, dora, otto] = [await of('cal'), await of('dora'), await of('otto')];
  token = await gantry.token('cal');
  seen = await engineOf(gantry);
});

const ofProber = async () => (await seen.containers('agent')).filter((one) => one.startsWith('svc-prober-'));
const begun = async () => (await cal.ask({ do: 'calls' })).json.output?.result as { begun: number; cancelled: number };

describe('an answer', () => {
  test('has the output, the run and the thread, and the agent gets the input unchanged', async () => {
    const value = '{"n":12345678901234567890,"text":"¡ünï 🎈 \\"q\\" \\\\ end","deep":[[[{"a":[null,true,{}]}]]],"":0}';
    const { status, text, json, headers } = await cal.send('/invoke', {
      method: 'POST',
      body: `{"input":{"do":"echo","value":${value}}}`,
    });
    expect(status).toBe(200);
    expect(Object.keys(json).toSorted()).toEqual(['output', 'run_id', 'status', 'thread_id']);
    expect(json.status).toBe('completed');
    expect(text).toContain('"n":12345678901234567890');
    expect(json.output?.result).toEqual(JSON.parse(value));
    expect(headers.get('x-run-id')).toBe(json.run_id);
  });

  test('has nothing that a browser would run or store', async () => {
    const { headers } = await cal.ask({ do: 'echo' });
    expect(headers.get('content-type')).toBe('application/json');
    expect(headers.get('x-content-type-options')).toBe('nosniff');
    expect(headers.get('content-security-policy')).toMatch(/default-src 'none'.*sandbox/);
    expect([headers.get('set-cookie'), headers.get('server')]).toEqual([null, null]);
  });

  test('of a failing agent is a problem document', async () => {
    const { status, json } = await cal.ask({ do: 'fail' });
    expect({ status, code: json.code, detail: json.detail }).toEqual({
      status: 500,
      code: 'agent_error',
      detail: "the agent's code raised LookupError: no such thing",
    });
  });

  test('of a text to an agent with several fields names the fields from its schema', async () => {
    expect(await gantry.type(`svc invoke prober "hello"`)).toMatchObject({
      code: 2,
      output: expect.stringContaining('prober takes do (string), value'),
    });
  });

  test('reaches the agent with the name of its caller', async () => {
    expect((await cal.ask({ do: 'who' })).json.output?.result).toMatchObject({
      email: 'cal@example.com',
      teams: [gantry.team],
    });
  });

  test('continues a thread of the same caller only', async () => {
    const remember = async (who: Agent, value: string) =>
      (await who.ask({ do: 'remember', value }, { thread_id: 'holiday' })).json;
    expect(await remember(cal, 'a')).toMatchObject({ thread_id: 'holiday', output: { remembered: ['a'] } });
    expect(await remember(dora, 'b')).toMatchObject({ thread_id: 'holiday', output: { remembered: ['b'] } });
    expect(await remember(cal, 'c')).toMatchObject({ output: { remembered: ['a', 'c'] } });
  });
});

describe('a call is refused', () => {
  const asks = { method: 'POST', body: '{"input":{"do":"echo"}}' };

  test.each([
    ['without a token', { headers: { authorization: '' } }, 401, 'unauthenticated'],
    ['in another content type', { headers: { 'content-type': 'text/plain' } }, 415, 'unsupported_media_type'],
    ['over 10 MB', { body: JSON.stringify({ input: { value: 'x'.repeat(10 * 1024 ** 2) } }) }, 413, 'too_large'],
    ['with invalid JSON', { body: '{"input":' }, 400, 'malformed_json'],
    ['without an input', { body: '{}' }, 422, 'invalid_request'],
    ['with a field that is not known', { body: '{"input":{"do":"echo"},"user":"root"}' }, 422, 'invalid_request'],
    ['with an input that the graph cannot take', { body: '{"input":{"do":7}}' }, 422, 'invalid_input'],
    [
      'that names its own caller',
      { body: '{"input":{"do":"who"},"config":{"configurable":{"svc_caller":{}}}}' },
      422,
      'invalid_request',
    ],
  ])('%s', async (_, init, status, code) => {
    const called = await cal.send('/invoke', { ...asks, ...init });
    expect({ status: called.status, code: called.json.code }).toEqual({ status, code });
  });

  test('from a reader without the right to use it', async () => {
    expect((await gantry.type('svc registry agent show prober', { as: 'otto' })).code).toBe(0);
    expect(await otto.send('/invoke', asks)).toMatchObject({ status: 403, json: { code: 'forbidden' } });
  });

  test('to an unreadable agent like to a missing one', async () => {
    const to = async (name: string, who: string) =>
      await callAgent(`${gantry.url}/agents/${name}`, await gantry.token(who)).send('/invoke', asks);
    const { request_id: _, ...hidden } = (await to('hidden', 'otto')).json as Record<string, unknown>;
    const { request_id: __, ...missing } = (await to('nothing', 'otto')).json as Record<string, unknown>;
    expect(hidden).toMatchObject({ status: 404, code: 'not_found' });
    expect(hidden).toEqual(missing);
    expect(await to('hidden', 'cal')).toMatchObject({ status: 409, json: { code: 'not_deployed' } });
  });
});

describe('no other spelling of a path reaches a container', () => {
  test.each([
    '/agents/prober/..;/prober/invoke',
    '/agents/prober/invoke;x=1',
    '//agents/prober/invoke',
    '/agents//prober/invoke',
    '/agents/hidden/../prober/invoke',
    '/agents/hidden/%2e%2e/prober/invoke',
    '/agents/hidden/%2E%2E%2Fprober/invoke',
    '/agents/./prober/invoke',
    '/agents/prober%2finvoke',
    '/agents\\prober\\invoke',
    '/agents/prober/invoke%00',
    '/agents/prober/invoke%0d%0ax-svc-caller:%20root',
    '/agents/prober/invoke/',
    '/agents/PROBER/invoke',
    '/agents/prober/invoke?stream=1',
    '/agents/prober/ready',
    '/agents/prober/docs',
    '/agents/prober/runs/../invoke',
    '/agents/prober/runs/x/cancel',
    '/agents/prober@10.0.0.1:8080/invoke',
    'http://127.0.0.1:8080/agents/prober/invoke',
    '*',
  ])('%s', async (target) => {
    const before = await begun();
    expect([400, 404, 405]).toContain(await raw(`POST ${target}`));
    expect((await begun()).begun).toBe(before.begun + 1);
  });

  test.each([
    'CONNECT 127.0.0.1:8080',
    'TRACE /agents/prober/invoke',
    'PUT /agents/prober/invoke',
    'GET /agents/prober/invoke',
  ])('%s', async (line) => {
    expect([undefined, 400, 404, 405]).toContain(await raw(line));
  });

  test('two lengths of one body are refused', async () => {
    expect(await raw('POST /agents/prober/invoke', 'Transfer-Encoding: chunked\r\n')).toBe(400);
  });
});

/** Sends a request line unchanged; the status, or undefined when the connection closes without one. */
async function raw(line: string, headers = ''): Promise<number | undefined> {
  const { hostname, port, host } = new URL(gantry.url);
  const body = '{"input":{"do":"echo"}}';
  const socket = connect(Number(port), hostname);
  socket.setTimeout(20_000, () => socket.destroy(new Error(`no answer to ${line}`)));
  socket.write(
    `${line} HTTP/1.1\r\nHost: ${host}\r\nAuthorization: Bearer ${token}\r\nContent-Type: application/json\r\n${headers}Content-Length: ${body.length}\r\nConnection: close\r\n\r\n${body}`,
  );
  let answered = '';
  for await (const chunk of socket) answered += String(chunk);
  const status = /^HTTP\/1\.1 (\d{3})/.exec(answered)?.[1];
  return status === undefined ? undefined : Number(status);
}

describe('a stream', () => {
  test('reports events as they occur', async () => {
    const events = await cal.stream({ do: 'wait' });
    const types: string[] = [];
    for await (const { type, value } of events) {
      types.push(type);
      // The run cannot end before this call, so the events read so far came during the run.
      if (value === 'waiting') await cal.ask({ do: 'open' });
    }
    expect(types[0]).toBe('RUN_STARTED');
    expect(types.at(-1)).toBe('RUN_FINISHED');
  });

  test('of a leaving reader is cancelled', async () => {
    const { cancelled } = await begun();
    const hangUp = new AbortController();
    for await (const { value } of await cal.stream({ do: 'wait' }, hangUp.signal)) if (value === 'waiting') break;
    hangUp.abort();
    await vi.waitFor(async () => expect((await begun()).cancelled).toBe(cancelled + 1), {
      timeout: 20_000,
      interval: 200,
    });
  });
});

describe('a long call', () => {
  const detached = async (input: object) => {
    const called = await cal.send('/invoke', {
      method: 'POST',
      body: JSON.stringify({ input }),
      headers: { prefer: 'respond-async' },
    });
    expect(called).toMatchObject({ status: 202, json: { status: 'running' } });
    return called;
  };

  test('gets 202 at once when the caller prefers it, and only its caller gets the answer', async () => {
    const { headers, json } = await detached({ do: 'wait', value: 'kept' });
    expect(headers.get('preference-applied')).toBe('respond-async');
    expect(headers.get('location')).toBe(`/agents/prober/runs/${json.run_id}`);
    expect(await cal.send(`/runs/${json.run_id}`)).toMatchObject({ status: 202, json: { status: 'running' } });
    for (const stranger of [dora, otto])
      for (const path of ['', '/cancel']) {
        const { status } = await stranger.send(`/runs/${json.run_id}${path}`, { method: path === '' ? 'GET' : 'POST' });
        expect([403, 404]).toContain(status);
      }
    expect((await dora.send(`/runs/${json.run_id}`)).json.code).toBe('run_gone');
    await cal.ask({ do: 'open' });
    expect(await cal.ending(json.run_id)).toMatchObject({
      status: 200,
      json: { run_id: json.run_id, status: 'completed', output: { result: 'kept' } },
    });
    expect((await dora.send(`/runs/${json.run_id}`)).status).toBe(404);
  });

  test('gets 202 when the sync budget is over, and can be cancelled', async () => {
    const sent = performance.now();
    const { status, json } = await cal.send('/invoke', { method: 'POST', body: '{"input":{"do":"wait"}}' });
    expect(status).toBe(202);
    expect(performance.now() - sent).toBeGreaterThan(sync_budget_seconds * 1000 - 50);
    expect((await cal.send(`/runs/${json.run_id}/cancel`, { method: 'POST' })).status).toBe(202);
    expect(await cal.ending(json.run_id)).toMatchObject({
      status: 409,
      json: { code: 'run_cancelled', run_status: 'cancelled' },
    });
    expect(await cal.send(`/runs/${json.run_id}/cancel`, { method: 'POST' })).toMatchObject({
      status: 200,
      json: { status: 'ended' },
    });
  });

  test('in a hanging container ends as interrupted, and the agent answers again and reports the reason', async () => {
    const { json } = await detached({ do: 'wait' });
    await detached({ do: 'hang' });
    expect(await cal.ending(json.run_id)).toMatchObject({
      status: 503,
      json: { code: 'agent_unavailable', run_id: json.run_id, run_status: 'interrupted' },
    });
    await vi.waitFor(async () => expect((await cal.ask({ do: 'echo' })).status).toBe(200), {
      timeout: 60_000,
      interval: 500,
    });
    const { output } = await gantry.must('svc status prober');
    expect(output.replaceAll(/\s+/g, ' ')).toMatch(/Restarts 1 The container did not answer \/health within 5 s/);
  });

  test('in a dying container ends as interrupted, and the agent answers again', async () => {
    const { json } = await detached({ do: 'wait' });
    expect(await cal.ask({ do: 'die' })).toMatchObject({ status: 503, json: { code: 'agent_unavailable' } });
    expect(await cal.ending(json.run_id)).toMatchObject({
      status: 503,
      json: { code: 'agent_unavailable', run_id: json.run_id, run_status: 'interrupted' },
    });
    await vi.waitFor(async () => expect((await cal.ask({ do: 'echo' })).status).toBe(200), {
      timeout: 60_000,
      interval: 500,
    });
  });
});

describe('a container with many calls', () => {
  const waiting = async (who: Agent) =>
    await who.send('/invoke', {
      method: 'POST',
      body: '{"input":{"do":"wait"}}',
      headers: { prefer: 'respond-async' },
    });
  const inFlight = async (who: Agent) => ((await who.send('/health')).json as { in_flight?: number }).in_flight;
  const soon = { timeout: 30_000, interval: 200 };

  test('runs those of two callers side by side', async () => {
    const before = (await begun()).begun;
    const runs = await Promise.all([cal, dora].flatMap((who) => Array.from({ length: 31 }, () => waiting(who))));
    expect(runs.map(({ status }) => status)).toEqual(Array.from({ length: 62 }, () => 202));
    await vi.waitFor(async () => expect(await inFlight(cal)).toBe(62), soon);
    expect((await begun()).begun).toBe(before + 63);
    await cal.ask({ do: 'open' });
    await vi.waitFor(async () => expect(await inFlight(cal)).toBe(0), soon);
  });

  test('reports its limit and the processor time of itself alone', async () => {
    const { json } = await cal.send('/health');
    const health = json as { uptime_seconds: number; cpu_seconds: number; concurrency: number };
    expect(health.concurrency).toBe(64);
    // Two seconds for the start of Python, before its own clock begins.
    expect(health.cpu_seconds).toBeLessThan((health.uptime_seconds + 2) * availableParallelism());
    await cal.ask({ do: 'echo' });
    const later = (await cal.send('/health')).json as typeof health;
    expect(later.cpu_seconds).toBeGreaterThan(health.cpu_seconds);
  });

  test('drops a waiting call when its caller hangs up, and keeps the running one', async () => {
    await writeProject(gantry, 'narrow', {
      'agent.py': prober,
      'agent.yaml': agentYaml('narrow', 'deploy:\n  concurrency: 1\n', gantry.team),
    });
    await gantry.must('svc deploy', { in: 'narrow' });
    const narrow = callAgent(`${gantry.url}/agents/narrow`, token);
    const { json } = await waiting(narrow);
    const hangUp = new AbortController();
    const left = narrow.send('/invoke', {
      method: 'POST',
      body: '{"input":{"do":"wait"}}',
      signal: hangUp.signal,
    });
    await vi.waitFor(async () => expect(await inFlight(narrow)).toBe(2), soon);
    hangUp.abort();
    await expect(left).rejects.toThrow();
    await vi.waitFor(async () => expect(await inFlight(narrow)).toBe(1), soon);
    expect((await narrow.send(`/runs/${json.run_id}`)).json.status).toBe('running');
    await narrow.send(`/runs/${json.run_id}/cancel`, { method: 'POST' });
    await gantry.must('svc delete narrow --yes');
  });
});

describe('while a new revision takes over', () => {
  test('no call fails, an open stream ends normally, and the old revision is removed when it has finished', async () => {
    await writeProject(gantry, 'prober', {
      'agent.py': prober.replace('REVISION = "first"', 'REVISION = "second"'),
      'agent.yaml': agentYaml('prober', 'access:\n  allowed_callers: ["team:guests"]\n', gantry.team).replace(
        '1.0.0',
        '1.0.1',
      ),
    });
    const admin = callAgent(`${gantry.url}/agents/prober`, await gantry.token());
    const guard = (
      await admin.send('/invoke', {
        method: 'POST',
        body: '{"input":{"do":"wait"}}',
        headers: { prefer: 'respond-async' },
      })
    ).json.run_id;
    const stream = drained(await admin.stream({ do: 'wait' }));

    const answers: string[] = [];
    let is_over = false;
    const client = async () => {
      while (!is_over) {
        const slow = await admin.ask({ do: 'sleep', value: 1.5 });
        const { status, json, text } = await admin.ask({ do: 'revision' });
        answers.push(slow.status === 200 && status === 200 ? String(json.output?.result) : `${slow.text} ${text}`);
      }
    };
    const clients = Array.from({ length: 7 }, client);
    await gantry.must('svc deploy', { in: 'prober' });
    await vi.waitFor(() => expect(answers.filter((answer) => answer === 'second').length).toBeGreaterThan(7), {
      timeout: 60_000,
    });
    is_over = true;
    await Promise.all(clients);
    expect([...new Set(answers)].toSorted()).toEqual(['first', 'second']);

    // Pinned to the old revision, whose gate it opens: the stream is still open, and now ends.
    expect((await ofProber()).length).toBe(2);
    await admin.send(`/runs/${guard}/cancel`, { method: 'POST' });
    expect((await stream).at(-1)).toBe('RUN_FINISHED');
    expect((await admin.ending(guard)).json.code).toBe('run_cancelled');
    await vi.waitFor(async () => expect((await ofProber()).length).toBe(1), {
      timeout: 60_000,
      interval: 500,
    });
  });

  test('its allowed_callers restrict the callers, and give nobody access', async () => {
    const asks = { method: 'POST', body: '{"input":{"do":"echo"}}' };
    expect(await cal.send('/invoke', asks)).toMatchObject({
      status: 403,
      json: {
        code: 'forbidden',
        detail: 'agents/prober accepts calls only from team:guests (access.allowed_callers).',
      },
    });
    await gantry.must('svc team create guests');
    for (const name of ['cal', 'otto']) await gantry.must(`svc team add guests user:${name}@example.com --role viewer`);
    expect((await cal.ask({ do: 'echo' })).status).toBe(200);
    expect((await otto.send('/invoke', asks)).status).toBe(403);
  });

  test('a call of a stopped agent is refused with that reason', async () => {
    await gantry.must('svc stop prober');
    const { status, json } = await cal.send('/invoke', { method: 'POST', body: '{"input":{"do":"echo"}}' });
    expect({ status, code: json.code, detail: json.detail }).toEqual({
      status: 409,
      code: 'not_deployed',
      detail: 'agents/prober is stopped.',
    });
  });
});

async function drained(events: AsyncGenerator<{ type: string }>): Promise<string[]> {
  const types: string[] = [];
  for await (const { type } of events) types.push(type);
  return types;
}
