import { jsonReply, type Reply } from '../../governance/http/answer/reply.ts';
import { within } from '../../ground/within.ts';
import { isJson, listOf } from '../../models/gateway/wires/wire.ts';
import { usedByRun } from '../../models/ledger/spending.ts';
import { guardrailsHeader } from '../../models/guardrails/print-done.ts';
import { parseExactly } from '../../models/guardrails/json-texts.ts';
import type { Answer } from '../invoke/answer.ts';
import { sendCall, type Ended } from '../invoke/calls/send-call.ts';
import { startRun } from '../invoke/calls/start-run.ts';
import type { Ingress } from '../invoke/ingress.ts';
import { jsonHeaders } from '../invoke/json-headers.ts';
import { textOfOutput } from '../invoke/streams/text-of-output.ts';
import { longest_wait_ms, printerOf, whyLeft, type Asking } from './asking.ts';
import { failureIn } from './failure.ts';
import { questions } from './text-of-run.ts';

/** The answer at the end of the run: clients of OpenAI know no later one. A call is stored after the sync budget, as that of invoke. */
export async function answerWhole(ingress: Ingress, asking: Asking): Promise<Reply> {
  const { call, admitted, body } = asking;
  const { signal } = call;
  const run = startRun(ingress, admitted, call.trace);
  const sent = await sendCall(ingress, {
    admitted,
    run,
    origin: call.key.origin,
    headers: jsonHeaders(call.headers),
    body,
    is_stored: false,
    sender: signal,
  });
  signal.addEventListener('abort', sent.withdraw, { once: true });
  const leaving = AbortSignal.any([signal, ingress.stopping]);
  let ended = await within(ingress.sync_budget_ms, sent.ending, leaving);
  if (ended === undefined) {
    await sent.detach({ awaits_end: true });
    ended = await within(longest_wait_ms, sent.ending, leaving);
  }
  signal.removeEventListener('abort', sent.withdraw);
  if (ended === undefined) throw whyLeft(asking, ingress.stopping);
  const { guarded } = sent;
  const text = textOf(ended);
  const usage = await usedByRun(ingress.db, run.id);
  return jsonReply(printerOf(asking, run.id).whole(text, usage), 200, {
    'x-run-id': run.id,
    ...(guarded && guardrailsHeader(guarded.done)),
  });
}

/** Throws the reason of a call without an answer. */
function textOf(ended: Ended): string {
  if ('error' in ended) throw ended.error;
  const { answer } = ended;
  if (answer.status >= 400) throw failureIn(answer, answer.retry_after);
  return textOfAnswer(answer);
}

function textOfAnswer({ content_type, body }: Answer): string {
  const text = body.toString();
  if (content_type.startsWith('text/plain')) return text;
  const said = readJson(text);
  if (!isJson(said)) return text;
  const { status, output, interrupts } = said;
  return status === 'interrupted' ? questions(listOf(interrupts)) : textOfOutput(output);
}

function readJson(text: string): unknown {
  try {
    return parseExactly(text);
  } catch {
    // The agent's answer is no JSON, although it says so.
    return undefined;
  }
}
