// A run in the background: its client asks for it later.
import type { Reply } from '../../../governance/http/answer/reply.ts';
import { jsonReply } from '../../../governance/http/answer/reply.ts';
import { sendCall } from '../../invoke/calls/send-call.ts';
import { startRun } from '../../invoke/calls/start-run.ts';
import * as store from '../store.ts';
import { beginRun, locationOf, type AskedRun, type RunParts } from './begin-run.ts';
import { printRun, recorded } from './record-run.ts';

/** Throws the refusal of a run that has not begun. */
export async function createRun(parts: RunParts, asking: AskedRun): Promise<Reply> {
  const { ingress, db } = parts;
  const { caller, thread, headers, trace, asked } = asking;
  const begun = await beginRun(parts, asking);
  const { callable, run_id, body, graph, is_alone, thread_id } = begun;
  const { id: assistant_id } = callable.agent;
  const admitted = callable.admit();
  await recorded(parts, { run_id, thread_id, asked }, async () => {
    const run = startRun(ingress, admitted, trace, run_id);
    const call = { admitted, run, origin: caller.origin, headers, body, graph, demand: { is_alone } };
    const sent = await sendCall(ingress, { ...call, is_stored: true });
    await sent.detach();
  });
  const at = locationOf({ thread, run_id });
  const row = thread_id === undefined ? undefined : await store.findRun(db, { thread_id, run_id });
  if (row !== undefined && thread !== undefined)
    return jsonReply(printRun(parts, row, { thread, assistant_id }), 200, at);
  const now = new Date().toISOString();
  const of = { run_id, thread_id: null, assistant_id, created_at: now, updated_at: now, status: 'pending' };
  return jsonReply({ ...of, metadata: asked.metadata ?? {}, kwargs: {}, multitask_strategy: 'enqueue' }, 200, at);
}
