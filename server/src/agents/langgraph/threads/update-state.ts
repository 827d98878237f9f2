// A change of a thread's state by its client. The writers of a node run for it, so it is a call of the agent, with all that decides about one. No
// node runs, and a thread on which another call works is not changed.
import { z } from 'zod';
import type { Checkpoint } from '@gantry/contract/agents/langgraph/threads.ts';
import { Problem } from '@gantry/contract/problems.ts';
import { jsonReply, type Reply } from '../../../governance/http/answer/reply.ts';
import { within } from '../../../ground/within.ts';
import { findCallable } from '../../invoke/admit.ts';
import { longest_wait_ms } from '../../invoke/await-instance.ts';
import { problemIn } from '../../invoke/calls/outcome.ts';
import { sendCall, type Ended } from '../../invoke/calls/send-call.ts';
import { startRun } from '../../invoke/calls/start-run.ts';
import { ownAgent, ownThread } from '../../memory/threads/own-agent.ts';
import type { AskedRun, RunParts } from '../runs/begin-run.ts';
import type { GraphOptions } from '../runs/read-run.ts';
import { refuseUnbegun } from '../runs/wait.ts';
import { checkpointId } from './threads.ts';

interface Update extends Omit<AskedRun, 'asked' | 'thread'> {
  thread: string;
  values?: unknown;
  as_node?: string | null | undefined;
  checkpoint?: Checkpoint | null | undefined;
  checkpoint_id?: string | null | undefined;
}

/** Throws `not_found`, `thread_busy`, and `invalid` for a change that the graph does not take. */
export async function updateState(parts: RunParts, update: Update): Promise<Reply> {
  const { ingress, db } = parts;
  const { caller, name, thread, headers, signal, trace } = update;
  const callable = await findCallable(ingress.agents, caller, name);
  await ownThread(db, await ownAgent(db, caller, name), thread);
  const admitted = callable.admit();
  const sent = await sendCall(ingress, {
    admitted,
    run: startRun(ingress, admitted, trace),
    origin: caller.origin,
    headers,
    ...asCall(update),
    demand: { is_alone: true },
    is_stored: true,
    sender: signal,
  });
  signal.addEventListener('abort', sent.withdraw, { once: true });
  const ended = await within(longest_wait_ms, sent.ending, AbortSignal.any([signal, ingress.stopping]));
  if (ended === undefined) throw new Problem('agent_unavailable', { detail: 'The agent has not answered yet.' });
  const at = { thread_id: thread, ...placeIn(ended) };
  return jsonReply({ checkpoint: { ...at, checkpoint_map: null }, configurable: at });
}

function asCall({ thread, values, as_node, checkpoint, checkpoint_id }: Update): { body: Buffer; graph: string } {
  const at = checkpoint_id ?? checkpointId(checkpoint ?? undefined) ?? null;
  const options: Partial<GraphOptions> = { modes: [], is_update: true, checkpoint_id: at };
  const body = { resume: { values: values ?? null, as_node: as_node ?? null }, thread_id: thread };
  return { body: Buffer.from(JSON.stringify(body)), graph: JSON.stringify(options) };
}

const changed = z.object({ output: z.object({ checkpoint_ns: z.string(), checkpoint_id: z.string() }) });

function placeIn(ended: Ended): { checkpoint_ns: string; checkpoint_id: string } {
  refuseUnbegun(ended);
  if ('error' in ended) throw ended.error;
  const { status, body } = ended.answer;
  const { detail } = problemIn(body) ?? { detail: `The agent answered with ${status}.` };
  if (status >= 400) throw new Problem('agent_error', { detail });
  const said = changed.safeParse(JSON.parse(body.toString()));
  if (!said.success) throw new Problem('agent_error', { detail: 'The agent did not say which state it has made.' });
  return said.data.output;
}
