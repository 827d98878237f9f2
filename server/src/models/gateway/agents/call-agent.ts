import { Problem } from '@gantry/contract/problems.ts';
import type { Reply } from '../../../governance/http/answer/reply.ts';
import type { Incoming } from '../call.ts';
import type { GatewayParts } from '../parts.ts';
import type { Json } from '../wires/wire.ts';
import { requireAgentOfKey } from './agents-of-key.ts';
import { answerWhileKeyWorks } from './while-key-works.ts';

interface AskedAgent extends Pick<Incoming, 'caller' | 'headers' | 'trace' | 'whileWaiting' | 'agents'> {
  sent: Json;
  client: AbortSignal;
}

/** The answer of an agent that a request names as its model. The end of the key ends the call, as that of a call to a model. */
export async function callAgent(
  { db, open_calls }: Pick<GatewayParts, 'db' | 'open_calls'>,
  name: string,
  { caller: key, sent, headers, trace, client, whileWaiting, agents }: AskedAgent,
): Promise<Reply> {
  await requireAgentOfKey(db, key, name);
  if (agents === undefined)
    throw new Problem('model_not_allowed', {
      detail: `agents/${name} is called in the formats of OpenAI.`,
      hint: 'Use POST /v1/chat/completions or POST /v1/responses.',
    });
  const { format } = agents;
  const answering = async (signal: AbortSignal) =>
    await agents.call({ key, name, format, sent, headers, trace, signal });
  return await whileWaiting(answerWhileKeyWorks(open_calls, { key_id: key.id, client }, answering));
}
