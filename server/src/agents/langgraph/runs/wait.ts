// A run whose client waits for its values. The connection stays open until the run has ended. A run that has begun and failed is an answer with
// `__error__`, because clients send a request again that fails as HTTP.
import { Problem } from '@gantry/contract/problems.ts';
import type { Reply } from '../../../governance/http/answer/reply.ts';
import { jsonReply } from '../../../governance/http/answer/reply.ts';
import { within } from '../../../ground/within.ts';
import { problemIn } from '../../invoke/calls/outcome.ts';
import { sendCall, type Ended } from '../../invoke/calls/send-call.ts';
import { startRun } from '../../invoke/calls/start-run.ts';
import type { Json } from '../json.ts';
import { recorded } from './record-run.ts';
import { spacedJson } from './spaced-json.ts';
import { beginRun, locationOf, type AskedRun, type RunParts } from './begin-run.ts';

/** Throws the refusal of a run that has not begun. */
export async function waitForRun(parts: RunParts, asking: AskedRun): Promise<Reply> {
  const { ingress } = parts;
  const { caller, thread, headers, signal, trace, asked } = asking;
  const { callable, run_id, body, graph, is_alone, thread_id } = await beginRun(parts, asking);
  const admitted = callable.admit();
  const run = startRun(ingress, admitted, trace, run_id);
  const call = { admitted, run, origin: caller.origin, headers, body, graph, demand: { is_alone } };
  const sending = async () => await sendCall(ingress, { ...call, is_stored: true, sender: signal });
  const sent = await recorded(parts, { run_id, thread_id, asked }, sending);
  signal.addEventListener('abort', sent.withdraw, { once: true });
  const at = locationOf({ thread, run_id });
  const early = await within(ingress.sync_budget_ms, sent.ending, ingress.stopping);
  if (early !== undefined) {
    signal.removeEventListener('abort', sent.withdraw);
    refuseUnbegun(early);
    return jsonReply(valuesOf(early), 200, at);
  }
  await sent.detach();
  const values = sent.ending.then(valuesOf);
  return {
    status: 200,
    headers: { 'content-type': 'application/json', ...at },
    body: spacedJson(values, ingress.stopping),
  };
}

/** Throws what a client may send again, or must change: nothing of the agent has worked. */
export function refuseUnbegun(end: Ended): void {
  if ('error' in end) {
    if (end.is_not_begun === true || !(end.error instanceof Problem)) throw end.error;
    return;
  }
  const { status, body, retry_after } = end.answer;
  if (status < 400 || status >= 500) return;
  const { code, detail } = problemIn(body) ?? { code: 'agent_error', detail: `The agent answered with ${status}.` };
  if (code === 'run_cancelled') return;
  if (status === 429)
    throw new Problem('too_many_requests', {
      detail,
      ...(retry_after !== undefined && { retry_after_seconds: Number(retry_after) }),
    });
  if (code === 'nothing_to_resume') throw new Problem('nothing_waits', { detail });
  if (code === 'threads_not_kept') throw new Problem('threads_not_kept', { detail });
  throw new Problem('invalid', { detail });
}

/** As langgraph's server: the values of the graph, with what waits for a person, or the error. */
export function valuesOf(end: Ended): unknown {
  if ('error' in end) return failure(end.error instanceof Problem ? end.error : new Problem('internal'));
  const { status, body } = end.answer;
  if (status >= 400)
    return failure(problemIn(body) ?? { code: 'agent_error', detail: `The agent answered with ${status}.` });
  const { output, interrupts } = JSON.parse(body.toString()) as { output?: unknown; interrupts?: Json[] };
  const asked = (interrupts ?? []).filter((one) => !('next' in one));
  if (asked.length === 0 || typeof output !== 'object' || output === null || Array.isArray(output)) return output ?? {};
  return { ...output, __interrupt__: asked };
}

const failure = ({ code, detail }: { code: string; detail: string }) => ({
  __error__: { error: code, message: detail },
});
