// The calls to models of a traced run: their rows in the ledger, and their spans.
import { expect } from 'vitest';
import type { Client } from '@gantry/contract/client/client.ts';
import type { Span } from '@gantry/contract/models/traces.ts';
import type { Database } from '../server/src/ground/database/database.ts';
import { sql } from '../server/src/ground/database/sql.ts';
import type { Agent } from './call-agent.ts';

type Way = 'invoke' | 'stream' | 'background';
type Row = Record<string, unknown>;

export interface TracedRuns {
  /** A call of the admin, in the trace of this letter. Returns the run. */
  run(agent: Agent, way: Way, input: object, name: string): Promise<string>;
  /** The settled calls of an agent, in a stable order. */
  rowsOf(agent: string): Promise<Row[]>;
  /** The row of one call. */
  rowOf(model: string, run_id: string, name: string): Row;
  /** Waits until the spans have arrived. They are one tree below the caller, and the agent's own span encloses each call to a model. */
  checkTrace(name: string, calls: number): Promise<void>;
}

export function tracedRuns({ db, admin }: { db: Database; admin: Client }): TracedRuns {
  return {
    run,
    rowsOf: async (agent) => await rowsOf(db, agent),
    rowOf,
    checkTrace: async (name, calls) => await checkTrace({ db, admin }, name, calls),
  };
}

const trace_id = (name: string) => name.repeat(32);
const headersOf = (name: string) => ({ traceparent: `00-${trace_id(name)}-b7ad6b7169203331-01` });

async function run(agent: Agent, way: Way, input: object, name: string): Promise<string> {
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

async function rowsOf(db: Database, agent: string): Promise<Row[]> {
  await expect.poll(async () => await db.all(sql`select id from hold where call ->> 'agent' = ${agent}`)).toEqual([]);
  return await db.all<Row>(sql`
    select l.model, l.run_id, l.root_run_id, u.email as caller, l.trace_id from ledger l left join app_user u on u.id = l.caller_id
    where l.agent = ${agent} order by l.model, l.run_id`);
}

const rowOf = (model: string, run_id: string, name: string): Row => ({
  model,
  run_id,
  root_run_id: run_id,
  caller: 'admin@gantry.local',
  trace_id: trace_id(name),
});

async function checkTrace({ db, admin }: { db: Database; admin: Client }, name: string, calls: number): Promise<void> {
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
