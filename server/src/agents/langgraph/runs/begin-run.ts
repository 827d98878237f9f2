// What comes before each run of langgraph's API: the assistant is this agent, and the thread is there.
import { randomUUIDv7 } from 'node:crypto';
import type { EventEmitter } from 'node:events';
import type { RunBody } from '@gantry/contract/agents/langgraph/runs.ts';
import { Problem } from '@gantry/contract/problems.ts';
import type { Caller } from '../../../governance/access/caller.ts';
import type { RequestHeaders } from '../../../governance/http/request/request-headers.ts';
import type { TraceContext } from '../../../ground/trace-context.ts';
import { findCallable, type Callable } from '../../invoke/admit.ts';
import type { Ingress } from '../../invoke/ingress.ts';
import { createThread, type ThreadParts } from '../../memory/threads/threads.ts';
import { ownAgent, ownThread } from '../../memory/threads/own-agent.ts';
import { cancelInvocation } from '../../invoke/invocations.ts';
import * as store from '../store.ts';
import { requireAssistant } from '../assistant.ts';
import { readRun, type ReadRun } from './read-run.ts';

export interface RunParts extends ThreadParts {
  ingress: Ingress;
  /** Of the kept parts of runs. */
  told: EventEmitter;
}

export interface AskedRun {
  caller: Caller;
  name: string;
  /** Undefined: the run has none. */
  thread?: string | undefined;
  asked: RunBody;
  headers: RequestHeaders;
  signal: AbortSignal;
  trace: TraceContext;
}

export interface BegunRun extends ReadRun {
  callable: Callable;
  run_id: string;
  /** The id of its thread's row. */
  thread_id: string | undefined;
}

/** Throws the refusal, `not_found` for a thread that is not there, and `not_answered`. */
export async function beginRun(
  parts: RunParts,
  { caller, name, thread, asked }: Pick<AskedRun, 'caller' | 'name' | 'thread' | 'asked'>,
): Promise<BegunRun> {
  const callable = await findCallable(parts.ingress.agents, caller, name);
  await requireAssistant(parts.db, callable.agent, asked.assistant_id);
  const read = readRun(asked, thread);
  const thread_id = thread === undefined ? undefined : await findOrMake(parts, { caller, name, thread, asked });
  if (thread_id !== undefined && asked.multitask_strategy === 'interrupt')
    for (const run_id of await store.runningOn(parts.db, thread_id))
      await cancelInvocation(parts.ingress, { caller, name, run_id });
  return { ...read, callable, run_id: randomUUIDv7(), thread_id };
}

async function findOrMake(
  parts: RunParts,
  { caller, name, thread, asked }: { caller: Caller; name: string; thread: string; asked: RunBody },
): Promise<string> {
  try {
    return (await ownThread(parts.db, await ownAgent(parts.db, caller, name), thread)).id;
  } catch (error) {
    const isGone = error instanceof Problem && error.code === 'not_found';
    if (!isGone || asked.if_not_exists !== 'create') throw error;
    return (await createThread(parts, { caller, name, thread_id: thread })).id;
  }
}

/** By which clients learn the id of the run. */
export function locationOf({ thread, run_id }: { thread: string | undefined; run_id: string }): Record<string, string> {
  const at = thread === undefined ? `/runs/${run_id}` : `/threads/${encodeURIComponent(thread)}/runs/${run_id}`;
  return { 'content-location': at, 'x-run-id': run_id };
}
