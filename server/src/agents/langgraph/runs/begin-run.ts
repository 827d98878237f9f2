// What comes before each run of langgraph's API: the assistant is this agent, and the thread is there.
import { randomUUIDv7 } from 'node:crypto';
import type { RunBody } from '@gantry/contract/agents/langgraph/runs.ts';
import { Problem } from '@gantry/contract/problems.ts';
import type { Caller } from '../../../governance/access/caller.ts';
import type { RequestHeaders } from '../../../governance/http/request/request-headers.ts';
import type { TraceContext } from '../../../ground/trace-context.ts';
import { findCallable, type Callable } from '../../invoke/admit.ts';
import type { Ingress } from '../../invoke/ingress.ts';
import { createThread, type ThreadParts } from '../../memory/threads/threads.ts';
import { ownAgent, ownThread } from '../../memory/threads/own-agent.ts';
import { refuseOther } from '../assistant.ts';
import { readRun, type ReadRun } from './read-run.ts';

export interface RunParts extends ThreadParts {
  ingress: Ingress;
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
}

/** Throws the refusal, `not_found` for a thread that is not there, and `not_answered`. */
export async function beginRun(
  parts: RunParts,
  { caller, name, thread, asked }: Pick<AskedRun, 'caller' | 'name' | 'thread' | 'asked'>,
): Promise<BegunRun> {
  const callable = await findCallable(parts.ingress.agents, caller, name);
  refuseOther(callable.agent, asked.assistant_id);
  const read = readRun(asked, thread);
  if (thread !== undefined) await findOrMake(parts, { caller, name, thread, asked });
  return { ...read, callable, run_id: randomUUIDv7() };
}

async function findOrMake(
  parts: RunParts,
  { caller, name, thread, asked }: { caller: Caller; name: string; thread: string; asked: RunBody },
): Promise<void> {
  try {
    await ownThread(parts.db, await ownAgent(parts.db, caller, name), thread);
  } catch (error) {
    const isGone = error instanceof Problem && error.code === 'not_found';
    if (!isGone || asked.if_not_exists !== 'create') throw error;
    await createThread(parts, { caller, name, thread_id: thread });
  }
}

/** By which clients learn the id of the run. */
export function locationOf({ thread, run_id }: { thread: string | undefined; run_id: string }): Record<string, string> {
  const at = thread === undefined ? `/runs/${run_id}` : `/threads/${encodeURIComponent(thread)}/runs/${run_id}`;
  return { 'content-location': at, 'x-run-id': run_id };
}
