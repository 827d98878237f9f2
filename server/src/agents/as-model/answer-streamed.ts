import { Problem } from '@gantry/contract/problems.ts';
import { eventStream } from '../../governance/http/answer/event-stream.ts';
import type { Reply } from '../../governance/http/answer/reply.ts';
import type { Json } from '../../models/gateway/wires/wire.ts';
import type { Ingress } from '../invoke/ingress.ts';
import { readEvents } from '../invoke/streams/guarded-invocation.ts';
import { streamAdmitted } from '../invoke/streams/stream.ts';
import { headersFor, printerOf, type Asking } from './asking.ts';
import { failureIn } from './failure.ts';
import type { Printer } from './print-answer.ts';
import { textOfRun } from './text-of-run.ts';

/** The text of the run on arrival. A client who leaves cancels the run, as for /stream. */
export async function answerStreamed(ingress: Ingress, asking: Asking): Promise<Reply> {
  const { call, admitted, body } = asking;
  const { key: caller, signal, trace } = call;
  const streaming = { caller, headers: headersFor(call), body, signal, trace };
  const { body: answered, headers } = await streamAdmitted(ingress, admitted, streaming);
  if (Buffer.isBuffer(answered)) throw failureIn({ body: answered }, headers['retry-after']);
  const run_id = headers['x-run-id'] ?? '';
  const printed = printEvents(readEvents(answered), printerOf(asking, run_id), signal);
  return eventStream(printed, { 'x-run-id': run_id });
}

async function* printEvents(
  events: AsyncIterable<Json>,
  printer: Printer,
  signal: AbortSignal,
): AsyncGenerator<string> {
  let text = '';
  yield printer.begin();
  try {
    for await (const piece of textOfRun(events)) {
      text += piece;
      yield printer.piece(piece);
    }
    yield printer.end(text, undefined);
  } catch (error) {
    // The end of the key ends the run, which then only says that it ended.
    const why: unknown = signal.aborted ? signal.reason : error;
    if (!(why instanceof Problem)) throw error;
    yield printer.broken(text, why);
  }
}
