// A run whose client reads its stream. When the client leaves, the run is cancelled.
import { Problem } from '@gantry/contract/problems.ts';
import { printServerSentEvent } from '@gantry/contract/formats/server-sent-events.ts';
import { eventStream } from '../../../governance/http/answer/event-stream.ts';
import type { Reply } from '../../../governance/http/answer/reply.ts';
import type { Event } from '../../../models/guardrails/guarded-events.ts';
import { admit } from '../../invoke/admit.ts';
import { readEvents } from '../../invoke/streams/guarded-invocation.ts';
import { part_event } from '../../invoke/streams/graph-parts.ts';
import { streamAdmitted } from '../../invoke/streams/stream-admitted.ts';
import { notAnswered } from '../not-answered.ts';
import { beginRun, locationOf, type AskedRun, type BegunRun, type RunParts } from './begin-run.ts';
import { recorded } from './record-run.ts';
import { refuseUnbegun } from './wait.ts';

/** Throws the refusal of a run that has not begun. */
export async function streamRun(parts: RunParts, asking: AskedRun): Promise<Reply> {
  const { caller, name, thread, headers, signal, trace, asked } = asking;
  if (asked.on_disconnect === 'continue') throw notAnswered('`on_disconnect: continue`');
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
  yield print('metadata', { run_id, attempt: 1 });
  let hasValues = false;
  for await (const event of events) {
    if (event['type'] === 'CUSTOM' && event['name'] === part_event) {
      // The wrapper has made it (graph parts).
      const { mode, ns, data } = event['value'] as { mode: string; ns: string[]; data: unknown };
      hasValues ||= mode === 'values';
      yield print([mode, ...ns].join('|'), data);
    }
    // A crew has no graph, and its values are its result.
    if (event['type'] === 'RUN_FINISHED' && !hasValues && modes.has('values') && 'result' in event)
      yield print('values', event['result']);
    if (event['type'] === 'RUN_ERROR') yield print('error', { error: event['code'], message: event['message'] });
  }
}

const print = (event: string, data: unknown) => printServerSentEvent({ event, data: JSON.stringify(data) });
