// Which run a call to a model belongs to: real agents in containers, the ingress, the gateway and its ledger.
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createClient, type Client } from '@gantry/contract/client.ts';
import type { Span } from '@gantry/contract/traces.ts';
import type { Database } from '../server/src/database/database.ts';
import { sql } from '../server/src/database/sql.ts';
import { modelUpstream, type ModelUpstream } from '../server/src/testing/model-upstream.ts';
import { callAgent, type Agent } from './call-agent.ts';
import { databaseOf } from './database-of.ts';
import { install, type Installation } from './installation.ts';
import { agentYaml, writeProject } from './write-project.ts';

const clone = join(import.meta.dirname, '..');
const names = ['a', 'b', 'c', 'd'];
const crews = ['e', 'f'];
let upstream: ModelUpstream;
let gantry: Installation;
let db: Database;
let admin: Client;
let asker: Agent;
let thief: Agent;

beforeAll(async () => {
  upstream = await modelUpstream(undefined, { latency: 50 });
  gantry = await install({ OUTBOUND_PRIVATE_HOSTS: upstream.host });
  db = await databaseOf(gantry);
  await gantry.must('svc team create ml');
  const token = await gantry.token();
  admin = createClient({ base_url: gantry.url, token: () => token });
  for (const name of [...names, 'gpt-4o-mini'])
    await admin.call('registry.create', {
      params: { kind: 'model' },
      body: { name, team: 'ml', config: { provider: 'test', model: name, base_url: upstream.base_url } },
    });
  asker = await deploy('asker', 'langgraph', 'e2e/agents/asker.py');
  thief = await deploy('thief', 'langgraph', 'e2e/agents/asker.py');
});
afterAll(async () => {
  await db?.close();
  await gantry?.stop();
  await upstream?.stop();
});

async function deploy(name: string, framework: 'langgraph' | 'crewai', agent: string): Promise<Agent> {
  const example = framework === 'crewai' ? 'crewai-greeter' : 'langgraph-openai';
  await writeProject(gantry, name, {
    'agent.yaml': agentYaml(name).replace('langgraph', framework),
    'agent.py': await readFile(join(clone, agent), 'utf8'),
    'requirements.txt': await readFile(join(clone, 'examples', example, 'requirements.txt'), 'utf8'),
  });
  // The packages of crewai take minutes on a busy machine.
  await gantry.must('svc deploy', { in: name, timeout_ms: 290_000 });
  return callAgent(`${gantry.url}/agents/${name}`, await gantry.token());
}

const trace_id = (name: string) => name.repeat(32);
const headersOf = (name: string) => ({ traceparent: `00-${trace_id(name)}-b7ad6b7169203331-01` });

/** By invoke, stream, or in the background. Returns the run. */
async function run(agent: Agent, way: 'invoke' | 'stream' | 'background', input: object, name: string) {
  const { status, headers, json, text } = await agent.send(way === 'stream' ? '/stream' : '/invoke', {
    method: 'POST',
    headers: { ...headersOf(name), ...(way === 'background' && { prefer: 'respond-async' }) },
    body: JSON.stringify({ input }),
  });
  expect(status, text).toBe(way === 'background' ? 202 : 200);
  if (way === 'background') expect((await agent.ending(json.run_id)).status).toBe(200);
  expect(headers.get('x-trace-id')).toBe(trace_id(name));
  return String(headers.get('x-run-id'));
}

/** The settled calls of an agent, in a stable order. */
async function rowsOf(agent: string) {
  await expect.poll(async () => await db.all(sql`select id from hold`)).toEqual([]);
  return await db.all<Record<string, unknown>>(sql`
    select l.model, l.run_id, l.root_run_id, u.email as caller, l.trace_id from ledger l left join app_user u on u.id = l.caller_id
    where l.agent = ${agent} order by l.model, l.run_id`);
}

const rowOf = (model: string, run_id: string, name: string) => ({
  model,
  run_id,
  root_run_id: run_id,
  caller: 'admin@gantry.local',
  trace_id: trace_id(name),
});

/** Waits until the spans have arrived. They are one tree below the caller, and the agent's own span encloses each call to a model. */
async function checkTrace(name: string, calls: number): Promise<void> {
  const read = async () => await admin.call('traces.show', { params: { id: trace_id(name) } });
  const modelSpans = (spans: Span[], source: Span['source']) =>
    spans.filter((span) => span.source === source && span.kind === 'llm');
  // Each process sends its spans by itself, and a span comes after those below it.
  const outsideOf = (spans: Span[]) => {
    const ids = new Set(spans.map(({ span_id }) => span_id));
    return spans.filter(({ parent_id }) => !ids.has(parent_id ?? ''));
  };
  const arrived = async () => {
    const { spans } = await read();
    return [modelSpans(spans, 'agent').length, modelSpans(spans, 'gateway').length, outsideOf(spans).length];
  };
  await expect.poll(arrived, { timeout: 30_000 }).toEqual([calls, calls, 1]);
  const { spans, input_tokens, output_tokens } = await read();
  const ids = spans.map(({ span_id }) => span_id);
  expect(new Set(ids).size).toBe(ids.length);
  expect(outsideOf(spans)).toMatchObject([{ source: 'ingress', parent_id: 'b7ad6b7169203331' }]);
  const callers = modelSpans(spans, 'gateway').map(({ parent_id }) => parent_id ?? '');
  expect(callers.toSorted()).toEqual(
    modelSpans(spans, 'agent')
      .map(({ span_id }) => span_id)
      .toSorted(),
  );
  const [sums] = await db.all(sql`
    select sum(input_tokens)::bigint as input_tokens, sum(output_tokens)::bigint as output_tokens from ledger
    where trace_id = ${trace_id(name)}`);
  expect({ input_tokens, output_tokens }).toEqual(sums);
}

test('each ledger row of a graph has its own run, with sync and async nodes, branches and streams, all at once', async () => {
  // Each run calls a model of its own.
  const ways = ['invoke', 'invoke', 'stream', 'background'] as const;
  const runs = await Promise.all(
    names.map(async (name, n) => await run(asker, ways[n] ?? 'invoke', { do: 'ask', model: name }, name)),
  );
  const wanted = names.flatMap((name, n) => Array.from({ length: 5 }, () => rowOf(name, runs[n] ?? '', name)));
  expect(await rowsOf('asker')).toEqual(wanted);
  for (const name of names) await checkTrace(name, 5);
  expect((await gantry.must(`svc costs --by model --run ${runs[0]}`)).stdout).toContain('for 5 calls');
});

test('each ledger row of a crew has its own run, also from its threads', { timeout: 400_000 }, async () => {
  const crew = await deploy('crew', 'crewai', 'wrapper/tests/agents/calling_crew/agent.py');
  const runs = await Promise.all(
    (['invoke', 'stream'] as const).map(async (way, n) => await run(crew, way, { name: crews[n] }, crews[n] ?? '')),
  );
  const wanted = runs.toSorted().flatMap((id) => {
    const name = crews[runs.indexOf(id)] ?? '';
    return Array.from({ length: 3 }, () => rowOf('gpt-4o-mini', id, name));
  });
  expect(await rowsOf('crew')).toEqual(wanted);
  for (const name of crews) await checkTrace(name, 3);
});

test('the token of a run is refused from another agent, and no header of the agent’s code changes a run', async () => {
  const { json } = await asker.ask({ do: 'tell' });
  const token = String(json.output?.result);
  expect(token).toMatch(/^ey/);
  const sends = async (agent: Agent, given: string) =>
    (await agent.ask({ do: 'send', model: 'a', token: given })).json.output?.result;
  const before = await rowsOf('thief');
  expect(await sends(thief, token)).toMatchObject({ status: 403, code: 'run_refused' });
  expect(await sends(thief, `${token}x`)).toMatchObject({ status: 403, code: 'run_refused' });
  expect(await rowsOf('thief')).toEqual(before);
  expect(await sends(asker, token)).toMatchObject({ status: 200 });
  expect(await sends(thief, '')).toMatchObject({ status: 200 });
  expect(await rowsOf('thief')).toMatchObject([{ run_id: null, caller: null }]);
});
