import type { Reply } from '../../../governance/http/answer/reply.ts';
import { admit } from '../admit.ts';
import { readRunInput } from '../agui/run-input.ts';
import { streamRunInput } from '../agui/stream-run-input.ts';
import type { Incoming } from '../call.ts';
import type { Ingress } from '../ingress.ts';
import { streamAdmitted } from './stream-admitted.ts';

/** The agent's output as events of AG-UI, for a request in the service's own form, or in that of the protocol. */
export async function stream(ingress: Ingress, incoming: Incoming): Promise<Reply> {
  const admitted = await admit(ingress.agents, incoming.caller, incoming.name);
  const asked = readRunInput(incoming.body);
  if (asked !== undefined) return await streamRunInput(ingress, { admitted, asked }, incoming);
  return await streamAdmitted(ingress, admitted, incoming);
}
