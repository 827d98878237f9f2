// A call to an agent, kept open as long as the sync budget lasts; after that the caller gets 202 with a run id, and the result is stored
// when it comes. Promises: a call is pinned to the revision that runs it; the service never sends it twice; a result reaches its caller
// alone, also after a restart. A container that dies ends its calls as `interrupted`.
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { Problem } from '@gantry/contract/problems.ts';
import type { Caller } from '../access/caller.ts';
import { signedIn } from '../principals/signed-in.ts';
import { admit } from './admit.ts';
import { readInput } from './read-input.ts';
import type { Ingress } from './ingress.ts';
import { interrupted } from './interrupted.ts';
import * as store from './store.ts';
import { callAgent, type UpstreamCall } from './upstream.ts';

export interface Incoming {
  caller: Caller;
  name: string;
  body: ReadableStream<Uint8Array>;
  headers: Headers;
  signal: AbortSignal;
}

export async function call(ingress: Ingress, incoming: Incoming): Promise<Response> {
  await admit(ingress.agents, incoming.caller, incoming.name);
  const body = await readInput(incoming.body);
  // Asked again after the upload: the revision that serves now takes the call, not one that began to drain meanwhile.
  const { agent, revision, user } = await admit(ingress.agents, incoming.caller, incoming.name);
  const run_id = randomUUID();
  const upstream: UpstreamCall = {
    instance: revision,
    agent,
    caller: user,
    method: 'POST',
    path: '/invoke',
    run_id,
    headers: incoming.headers,
    body,
  };
  const result = whole(upstream);
  const preferred = (incoming.headers.get('prefer') ?? '').includes('respond-async');
  const early = preferred ? undefined : await within(result, ingress.sync_budget_ms);
  if (early !== undefined)
    return new Response(new Uint8Array(early.body), {
      status: early.status,
      headers: { 'content-type': early.content_type, 'x-run-id': run_id },
    });
  await store.insertRunning(ingress.db, {
    id: run_id,
    agent_id: agent.id,
    revision_id: revision.revision_id,
    caller_id: user.id,
  });
  ingress.background(
    result.then(
      async (ended) => await store.end(ingress.db, run_id, ended),
      async (error: unknown) => await store.end(ingress.db, run_id, interrupted(error)),
    ),
  );
  const location = `/agents/${incoming.name}/runs/${run_id}`;
  return Response.json(
    { run_id, status: 'running' },
    { status: 202, headers: { location, 'preference-applied': preferred ? 'respond-async' : 'wait' } },
  );
}

/** The stored result of a call of the caller's own; 202 while it runs. */
export async function readRun(ingress: Ingress, caller: Caller, name: string, run_id: string): Promise<Response> {
  const { row } = await ownRun(ingress, caller, name, run_id);
  if (row.state === 'running') return Response.json({ run_id, status: 'running' }, { status: 202 });
  return new Response(new Uint8Array(row.body ?? Buffer.alloc(0)), {
    status: row.status ?? 200,
    headers: { 'content-type': row.content_type ?? 'application/json' },
  });
}

export async function cancelRun(ingress: Ingress, caller: Caller, name: string, run_id: string): Promise<Response> {
  const { row, agent } = await ownRun(ingress, caller, name, run_id);
  const instance = row.state === 'running' ? await ingress.agents.instance(row.revision_id) : undefined;
  if (instance === undefined) return Response.json({ run_id, status: 'ended' });
  const answered = await callAgent({
    instance,
    agent,
    caller: signedIn(caller),
    method: 'POST',
    path: `/runs/${run_id}/cancel`,
  });
  await answered.body.dump();
  return Response.json({ run_id, status: 'cancelling' }, { status: 202 });
}

async function ownRun(ingress: Ingress, caller: Caller, name: string, run_id: string) {
  const user = signedIn(caller);
  const agent = await ingress.agents.find(name);
  const row = agent && (await store.find(ingress.db, run_id, agent.id, user.id));
  if (agent === undefined || row === undefined) throw new Problem('run_gone');
  return { row, agent };
}

async function whole(upstream: UpstreamCall) {
  const { status, content_type, body } = await callAgent(upstream);
  return { status, content_type, body: Buffer.from(await body.arrayBuffer()) };
}

async function within<T>(result: Promise<T>, budget_ms: number): Promise<T | undefined> {
  const stop = new AbortController();
  try {
    return await Promise.race([result, sleep(budget_ms, undefined, { signal: stop.signal })]);
  } finally {
    stop.abort();
  }
}
