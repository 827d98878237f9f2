// A call of the tool that is an agent: a run as any other, whose text is told while it is written. A client that cancels, or leaves, ends the run.
import { randomUUIDv7 } from 'node:crypto';
import type { CallToolResult } from '@modelcontextprotocol/server';
import { Problem } from '@gantry/contract/problems.ts';
import type { AskedTool } from '../../governance/http/mcp/answer-mcp.ts';
import { isJson, listOf, type Json } from '../../models/gateway/wires/wire.ts';
import { failureIn } from '../as-model/failure.ts';
import { questions, textOfRun } from '../as-model/text-of-run.ts';
import { admit } from '../invoke/admit.ts';
import type { Incoming } from '../invoke/call.ts';
import { describeAgent } from '../invoke/describe-agent.ts';
import type { Ingress } from '../invoke/ingress.ts';
import { jsonHeaders } from '../invoke/json-headers.ts';
import { readEvents } from '../invoke/streams/guarded-invocation.ts';
import { streamAdmitted } from '../invoke/streams/stream-admitted.ts';
import { textOfOutput } from '../invoke/streams/text-of-output.ts';
import { bodyFor } from './describe-tool.ts';

type Calling = Omit<Incoming, 'body'>;

/** Throws the refusals of invoke. */
export async function callAgent(ingress: Ingress, calling: Calling, asked: AskedTool): Promise<CallToolResult> {
  const { caller, name, headers, trace } = calling;
  const { signal, onProgress } = asked;
  const admitted = await admit(ingress.agents, caller, name);
  const described = await describeAgent(ingress, admitted, signal);
  const { description } = admitted.agent;
  const { input, thread_id } = bodyFor({ name, description, ...described }, asked.arguments);
  // A run that waits for a person waits in its thread.
  const thread = thread_id ?? (described.keeps_threads ? randomUUIDv7() : undefined);
  const run_id = randomUUIDv7();
  const body = Buffer.from(JSON.stringify({ input, ...(thread !== undefined && { thread_id: thread }) }));
  const streaming = { caller, headers: jsonHeaders(headers), body, signal, trace, run_id };
  const streamed = await streamAdmitted(ingress, admitted, streaming);
  if (Buffer.isBuffer(streamed.body)) throw failureIn({ body: streamed.body }, streamed.headers['retry-after']);
  const end = await endOf(readEvents(streamed.body), { signal, onProgress });
  const { base_url } = ingress;
  const inbox = admitted.revision.kept_by_service ? `${base_url()}/inbox` : undefined;
  return resultOf(end, { name, run_id, thread, inbox });
}

/** The event at the end of the run. Throws the reason of a run without an answer. */
async function endOf(
  events: AsyncIterable<Json>,
  { signal, onProgress }: Pick<AskedTool, 'signal' | 'onProgress'>,
): Promise<Json> {
  let end: Json = {};
  const noted = (async function* () {
    for await (const event of events) {
      if (event['type'] === 'RUN_FINISHED') end = event;
      yield event;
    }
  })();
  let pieces = 0;
  try {
    for await (const message of textOfRun(noted)) onProgress?.({ progress: ++pieces, message });
  } catch (error) {
    throw signal.aborted ? new Problem('cancelled', { detail: 'The client has cancelled the call.' }) : error;
  }
  return end;
}

interface OfRun {
  name: string;
  run_id: string;
  thread: string | undefined;
  /** Undefined for a run that nobody can answer there. */
  inbox: string | undefined;
}

function resultOf({ outcome, result = null }: Json, { name, run_id, thread, inbox }: OfRun): CallToolResult {
  const of = { run_id, ...(thread !== undefined && { thread_id: thread }) };
  const { type, interrupts } = isJson(outcome) ? outcome : {};
  if (type !== 'interrupt')
    return {
      content: [{ type: 'text', text: textOfOutput(result) }],
      structuredContent: { ...of, status: 'completed', output: result },
    };
  const asked = listOf(interrupts).map((one) => (isJson(one) && isJson(one['metadata']) ? one['metadata'] : one));
  const where =
    inbox === undefined || thread === undefined
      ? ''
      : ` Answer it in ${inbox}, or: svc answer ${name} ${thread} '<answer>'`;
  const text = `The run waits for a person, who is asked: ${questions(asked)}${where}`;
  return {
    content: [{ type: 'text', text }],
    structuredContent: { ...of, status: 'interrupted', ...(inbox !== undefined && { inbox }) },
  };
}
