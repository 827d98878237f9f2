// A run in the background: its client asks for it later.
import type { Reply } from '../../../governance/http/answer/reply.ts';
import { jsonReply } from '../../../governance/http/answer/reply.ts';
import { sendCall } from '../../invoke/calls/send-call.ts';
import { startRun } from '../../invoke/calls/start-run.ts';
import type { Json } from '../json.ts';
import { notAnswered } from '../not-answered.ts';
import * as store from '../store.ts';
import { beginRun, locationOf, type AskedRun, type BegunRun, type RunParts } from './begin-run.ts';
import { keepsParts } from './kept/keeps-parts.ts';
import { writeParts } from './kept/write-parts.ts';
import { printRun, recorded } from './record-run.ts';

/** Throws the refusal of a run that has not begun. */
export async function createRun(parts: RunParts, asking: AskedRun): Promise<Reply> {
  const { printed, at } = await create(parts, asking, await beginInBackground(parts, asking));
  return jsonReply(printed, 200, at);
}

/** One after the other. All are looked at before the first one begins. */
export async function createRuns(parts: RunParts, asking: readonly AskedRun[]): Promise<Reply> {
  const begun = [];
  for (const one of asking) begun.push({ one, begun: await beginInBackground(parts, one) });
  const runs = [];
  for (const { one, begun: run } of begun) runs.push((await create(parts, one, run)).printed);
  return jsonReply(runs);
}

/** A run whose client may leave. Throws the refusal of a run that has not begun. */
export async function beginInBackground(parts: RunParts, asking: AskedRun): Promise<BegunRun> {
  const { thread, asked } = asking;
  if (thread === undefined && asked.stream_resumable === true) throw notAnswered('`stream_resumable` without a thread');
  return await beginRun(parts, asking);
}

async function create(
  parts: RunParts,
  asking: AskedRun,
  begun: BegunRun,
): Promise<{ printed: Json; at: Record<string, string> }> {
  const { thread, asked } = asking;
  const { run_id, thread_id, callable } = begun;
  const { id: assistant_id } = callable.agent;
  const at = await sendInBackground(parts, asking, begun);
  const row = thread_id === undefined ? undefined : await store.findRun(parts.db, { thread_id, run_id });
  if (row !== undefined && thread !== undefined) return { printed: printRun(parts, row, { thread, assistant_id }), at };
  const now = new Date().toISOString();
  const of = { run_id, thread_id: null, assistant_id, created_at: now, updated_at: now, status: 'pending' };
  const printed = { ...of, metadata: asked.metadata ?? {}, kwargs: {}, multitask_strategy: 'enqueue' };
  return { printed, at };
}

/** By the headers of the answer, clients find the run again. */
export async function sendInBackground(
  parts: RunParts,
  { caller, thread, headers, trace, asked }: AskedRun,
  { callable, run_id, body, graph, is_alone, thread_id, modes }: BegunRun,
): Promise<Record<string, string>> {
  const { ingress, told } = parts;
  const admitted = callable.admit();
  const keeps_parts = keepsParts(asked);
  const listener = keeps_parts ? writeParts({ ...parts, stopping: ingress.stopping }, { run_id, modes }) : undefined;
  await recorded(parts, { run_id, thread_id, asked, keeps_parts }, async () => {
    const run = startRun(ingress, admitted, trace, run_id);
    const call = { admitted, run, origin: caller.origin, headers, body, graph, demand: { is_alone } };
    const sent = await sendCall(ingress, { ...call, is_stored: true, listener });
    const { stored } = await sent.detach();
    if (keeps_parts) ingress.background(stored.then(() => void told.emit(run_id)));
  });
  const at = locationOf({ thread, run_id });
  return { ...at, ...(keeps_parts && thread !== undefined && { location: `${at['content-location']}/stream` }) };
}
