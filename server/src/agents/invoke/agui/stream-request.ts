import type { Reply } from '../../../governance/http/answer/reply.ts';
import { admit } from '../admit.ts';
import type { Incoming } from '../call.ts';
import type { Ingress } from '../ingress.ts';
import { stream } from '../streams/stream.ts';
import { readRunInput } from './run-input.ts';
import { streamRunInput } from './stream-run-input.ts';

/** The agent's output as events of AG-UI, for a request in the service's own form, or in that of the protocol. */
export async function streamRequest(ingress: Ingress, incoming: Incoming): Promise<Reply> {
  const asked = readRunInput(incoming.body);
  if (asked === undefined) return await stream(ingress, incoming);
  const admitted = await admit(ingress.agents, incoming.caller, incoming.name);
  return await streamRunInput(ingress, { admitted, asked }, incoming);
}
