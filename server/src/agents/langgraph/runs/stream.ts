// A run whose client reads its stream. When the client leaves, the run is cancelled, unless its parts are kept.
import { Problem } from '@gantry/contract/problems.ts';
import { eventStream } from '../../../governance/http/answer/event-stream.ts';
import type { Reply } from '../../../governance/http/answer/reply.ts';
import type { Event } from '../../../models/guardrails/guarded-events.ts';
import { admit } from '../../invoke/admit.ts';
import { readEvents } from '../../invoke/streams/guarded-invocation.ts';
import { streamAdmitted } from '../../invoke/streams/stream-admitted.ts';
import { beginRun, locationOf, type AskedRun, type BegunRun, type RunParts } from './begin-run.ts';
import { keepsParts } from './kept/keeps-parts.ts';
import { streamKept } from './kept/stream-kept.ts';
import { metadataPart, partOf, partPrinter, printPart } from './print-parts.ts';
import { recorded } from './record-run.ts';
import { refuseUnbegun } from './wait.ts';

/** Throws the refusal of a run that has not begun. */
export async function streamRun(parts: RunParts, asking: AskedRun): Promise<Reply> {
  const { caller, name, thread, headers, signal, trace, asked } = asking;
  if (keepsParts(asked)) return await streamKept(parts, asking);
  const begun = await beginRun(parts, asking);
  const { run_id, body, graph, is_alone, thread_id } = begun;
  const incoming = { caller, headers, body, signal, trace, run_id, graph, is_alone, keeps_end: true };
  const admitted = await admit(parts.ingress.agents, caller, name);
  const sending = async () => await streamAdmitted(parts.ingress, admitted, incoming);
  const reply = await recorded(parts, { run_id, thread_id, asked }, sending);
  if (reply.body === undefined || typeof reply.body === 'string' || reply.body instanceof Uint8Array) {
    const answer = {
      status: reply.status,
      content_type: '',
      body: Buffer.from(reply.body ?? ''),
      retry_after: undefined,
    };
    refuseUnbegun({ answer });
    throw new Problem('agent_error', { detail: 'The agent did not answer with a stream.' });
  }
  return eventStream(printParts(readEvents(reply.body), begun), locationOf({ thread, run_id }));
}

async function* printParts(
  events: AsyncIterable<Event>,
  { run_id, modes }: Pick<BegunRun, 'run_id' | 'modes'>,
): AsyncGenerator<string> {
  const printer = partPrinter(modes);
  yield printPart(metadataPart(run_id));
  for await (const event of events) {
    const { type, code, message } = event;
    const parts =
      type === 'RUN_FINISHED' && 'result' in event
        ? printer.end(event['result'])
        : type === 'RUN_ERROR'
          ? [partOf('error', { error: code, message })]
          : printer.of(event);
    yield* parts.map((part) => printPart(part));
  }
}
