// The start of a call, until an answer begins. Promise: the end of the key ends the wait, and the usage of the call is still read.
import { Problem } from '@gantry/contract/problems.ts';
import type { Reply } from '../../governance/http/answer/reply.ts';
import { KeyEnded } from './admission/open-calls.ts';
import type { GatewayParts } from './parts.ts';
import type { CallSpan } from './record-call.ts';

interface Beginning {
  key_id: string;
  /** Ends when nobody waits for the answer. */
  client: AbortSignal;
  span: CallSpan;
  /** Its signal also ends with the key. */
  start: (signal: AbortSignal) => Promise<Reply>;
}

/** Throws the refusal. */
export async function beginCall(gateway: GatewayParts, { key_id, client, span, start }: Beginning): Promise<Reply> {
  const call = gateway.open_calls.open(key_id, client);
  const replying = start(call.signal);
  void replying.then(span.begun, span.failed);
  try {
    return await call.whileKeyWorks(replying);
  } catch (error) {
    if (error instanceof KeyEnded) gateway.background(drain(replying));
    throw error;
  } finally {
    call.close();
  }
}

/** Nobody waits for the reply, and its usage is still wanted. */
async function drain(replying: Promise<Reply>): Promise<void> {
  try {
    const { body } = await replying;
    if (typeof body === 'object' && Symbol.asyncIterator in body) for await (const _ of body) return;
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
  }
}
