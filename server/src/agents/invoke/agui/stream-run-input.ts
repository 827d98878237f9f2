import { eventStream, printEvent } from '../../../governance/http/answer/event-stream.ts';
import type { Reply } from '../../../governance/http/answer/reply.ts';
import type { Admitted } from '../admit.ts';
import { describeAgent } from '../describe-agent.ts';
import type { Ingress } from '../ingress.ts';
import { messagesIntoInput } from '../messages-into-input.ts';
import { readEvents } from '../streams/guarded-invocation.ts';
import { streamAdmitted, type StreamedCall } from '../streams/stream-admitted.ts';
import { answersOf, lastText, messagesOf, type RunInput } from './run-input.ts';

/** The events of the run that a client of AG-UI asks for, under the ids that the client has given to run and thread. */
export async function streamRunInput(
  ingress: Ingress,
  { admitted, asked }: { admitted: Admitted; asked: RunInput },
  call: StreamedCall,
): Promise<Reply> {
  const { input_schema: schema, keeps_threads } = await describeAgent(ingress, admitted, call.signal);
  const { agent, revision } = admitted;
  const messages = messagesOf(asked, { lists_files: revision.files !== undefined });
  const given = answersOf(asked) ?? {
    input: messagesIntoInput({ ref: agent.ref, schema }, messages, () => lastText(asked)),
  };
  const body = Buffer.from(JSON.stringify({ ...given, ...(keeps_threads && { thread_id: asked.threadId }) }));
  const reply = await streamAdmitted(ingress, admitted, { ...call, body });
  if (Buffer.isBuffer(reply.body)) return reply;
  return eventStream(underIds(reply.body, asked), { 'x-run-id': reply.headers['x-run-id'] ?? '' });
}

async function* underIds(
  chunks: AsyncIterable<Uint8Array | string>,
  { threadId, runId }: RunInput,
): AsyncGenerator<string> {
  for await (const event of readEvents(chunks)) {
    const isBoundary = event['type'] === 'RUN_STARTED' || event['type'] === 'RUN_FINISHED';
    yield printEvent(isBoundary ? { ...event, threadId, runId } : event);
  }
}
