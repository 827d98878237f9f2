import { Problem } from '@gantry/contract/problems.ts';
import { eventStream } from '../../governance/http/answer/event-stream.ts';
import type { Reply } from '../../governance/http/answer/reply.ts';
import { within } from '../../ground/within.ts';
import type { Json } from '../../models/gateway/wires/wire.ts';
import type { Ingress } from '../invoke/ingress.ts';
import { jsonHeaders } from '../invoke/json-headers.ts';
import { usedByRun } from '../../models/ledger/spending.ts';
import { readEvents } from '../invoke/streams/guarded-invocation.ts';
import { streamAdmitted } from '../invoke/streams/stream-admitted.ts';
import { longest_wait_ms, printerOf, type Asking } from './asking.ts';
import { failureIn } from './failure.ts';
import type { Printer, Usage } from './print-answer.ts';
import { textOfRun } from './text-of-run.ts';

/** The text of the run on arrival. A client who leaves cancels the run, as for /stream. */
export async function answerStreamed(ingress: Ingress, asking: Asking): Promise<Reply> {
  const { call, admitted, body } = asking;
  const { key: caller, signal, trace } = call;
  const streaming = { caller, headers: jsonHeaders(call.headers), body, signal, trace };
  const { body: answered, headers } = await streamAdmitted(ingress, admitted, streaming);
  if (Buffer.isBuffer(answered)) throw failureIn({ body: answered }, headers['retry-after']);
  const run_id = headers['x-run-id'] ?? '';
  const printed = printEvents(readEvents(answered), {
    printer: printerOf(asking, run_id),
    signal,
    usage: async () => (asking.asked.wants_usage ? await usedByRun(ingress.db, run_id) : undefined),
  });
  return eventStream(printed, { 'x-run-id': run_id });
}

interface Printing {
  printer: Printer;
  signal: AbortSignal;
  /** Called at the end of the run. */
  usage: () => Promise<Usage | undefined>;
}

async function* printEvents(events: AsyncIterable<Json>, { printer, signal, usage }: Printing): AsyncGenerator<string> {
  let text = '';
  yield printer.begin();
  try {
    for await (const piece of untilAbort(textOfRun(events), signal)) {
      text += piece;
      yield printer.piece(piece);
    }
    yield printer.end(text, await usage());
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    yield printer.broken(text, error);
  }
}

/** The end of the key does not wait for what the container says about its end. Throws the reason of the signal. */
async function* untilAbort<T>(pieces: AsyncIterable<T>, signal: AbortSignal): AsyncGenerator<T> {
  const reading = pieces[Symbol.asyncIterator]();
  try {
    for (;;) {
      const next = await within(longest_wait_ms, reading.next(), signal);
      if (next === undefined) throw signal.reason;
      if (next.done === true) return;
      yield next.value;
    }
  } finally {
    // Its last read may take long, and nobody needs it.
    reading.return?.().catch(() => {});
  }
}
