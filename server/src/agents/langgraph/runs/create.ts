// A run in the background: its client asks for it later.
import type { Reply } from '../../../governance/http/answer/reply.ts';
import { jsonReply } from '../../../governance/http/answer/reply.ts';
import { sendCall } from '../../invoke/calls/send-call.ts';
import { startRun } from '../../invoke/calls/start-run.ts';
import { notAnswered } from '../not-answered.ts';
import * as store from '../store.ts';
import { beginRun, locationOf, type AskedRun, type BegunRun, type RunParts } from './begin-run.ts';
import { keepsParts } from './kept/keeps-parts.ts';
import { writeParts } from './kept/write-parts.ts';
import { printRun, recorded } from './record-run.ts';

/** Throws the refusal of a run that has not begun. */
export async function createRun(parts: RunParts, asking: AskedRun): Promise<Reply> {
  const { thread, asked } = asking;
  if (thread === undefined && asked.stream_resumable === true) throw notAnswered('`stream_resumable` without a thread');
  const begun = await beginRun(parts, asking);
  const { run_id, thread_id, callable } = begun;
  const { id: assistant_id } = callable.agent;
  const at = await sendInBackground(parts, asking, begun);
  const row = thread_id === undefined ? undefined : await store.findRun(parts.db, { thread_id, run_id });
  if (row !== undefined && thread !== undefined)
    return jsonReply(printRun(parts, row, { thread, assistant_id }), 200, at);
  const now = new Date().toISOString();
  const of = { run_id, thread_id: null, assistant_id, created_at: now, updated_at: now, status: 'pending' };
  return jsonReply({ ...of, metadata: asked.metadata ?? {}, kwargs: {}, multitask_strategy: 'enqueue' }, 200, at);
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
