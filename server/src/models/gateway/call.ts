// A request of a client for a model.
import { Problem } from '@gantry/contract/problems.ts';
import type { KeyCaller } from '../../governance/access/caller.ts';
import type { AskFor } from '../guardrails/guarded-call.ts';
import { parseJson } from '../../governance/http/request/body.ts';
import type { Reply } from '../../governance/http/answer/reply.ts';
import { requireStorable } from '../../governance/http/request/storable.ts';
import type { RequestHeaders } from '../../governance/http/request/request-headers.ts';
import type { Place } from '../../governance/http/shares/work-places.ts';
import type { TraceContext } from '../../ground/trace-context.ts';
import { agentNamed, type AgentFormat, type AgentModels } from './agents/agent-models.ts';
import { callAgent } from './agents/call-agent.ts';
import { askJudge } from './judging/ask-judge.ts';
import { beginCall } from './begin-call.ts';
import { callInTurn } from './upstream/attempts.ts';
import { openCall } from './admission/open-call.ts';
import type { GatewayParts } from './parts.ts';
import { openCallSpan } from './record-call.ts';
import { noteRefusedStart } from './admission/refused-start.ts';
import { requireRunBudget } from './admission/run-budget.ts';
import { runOfCall } from './run-of-call.ts';
import { isJson, type Json, type Wire } from './wires/wire.ts';

export interface Incoming {
  caller: KeyCaller;
  body: Uint8Array;
  headers: RequestHeaders;
  /** Ends when the client goes away or the service stops. */
  signal: AbortSignal;
  trace: TraceContext;
  /** The body in the spelling of its format. Absent: as it was sent. */
  canonical?: (sent: Json) => Json;
  /** Frees the call's place among the requests during a wait. */
  whileWaiting: Place['whileWaiting'];
  /** Absent: no agent is called in this format. */
  agents?: { format: AgentFormat; call: AgentModels['call'] };
}

/** No vendor knows so many; each takes time. */
const max_members = 200;

export async function callModel(
  gateway: GatewayParts,
  wire: Wire,
  { body, signal: client, canonical = (sent) => sent, ...incoming }: Incoming,
): Promise<Reply> {
  const read = parseJson(body);
  if (!isJson(read)) throw new Problem('malformed', { detail: 'The body must be a JSON object.' });
  const sent = canonical(read);
  if (Object.keys(sent).length > max_members)
    throw new Problem('malformed', { detail: `The body has more than ${max_members} members.` });
  // The name goes into the common batch, and to the record.
  requireStorable(sent['model'], '/model');
  const agent = agentNamed(sent['model']);
  if (agent !== undefined) return await callAgent(gateway, agent, { sent, client, ...incoming });
  const run = runOfCall(gateway.run_key, incoming);
  const asked = typeof sent['model'] === 'string' ? sent['model'] : '';
  const span = openCallSpan(gateway.spans, { caller: incoming.caller, run, trace: incoming.trace, model: asked });
  const start = async (signal: AbortSignal) => {
    await requireRunBudget(gateway.db, run);
    const judge = askJudge(gateway, { payer: incoming.caller, run });
    const ask: AskFor = (rule, ends) => async (request) => await incoming.whileWaiting(judge(rule, ends)(request));
    const call = openCall(gateway, wire, { sent, run, ...incoming, signal, ask, span });
    return await callInTurn(gateway.health, call);
  };
  try {
    return await beginCall(gateway, { key_id: incoming.caller.id, client, span, start });
  } catch (error) {
    if (error instanceof Problem) await noteRefusedStart(gateway, { caller: incoming.caller, run, problem: error });
    throw error;
  }
}
