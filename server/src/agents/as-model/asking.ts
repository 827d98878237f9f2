import { Problem } from '@gantry/contract/problems.ts';
import type { AgentModelCall } from '../../models/gateway/agents/agent-models.ts';
import type { Admitted } from '../invoke/admit.ts';
import type { AskedOfAgent } from './asked.ts';
import { chatPrinter, responsePrinter, type Printer } from './print-answer.ts';
import { responseId } from './response-id.ts';

/** The longest time of a timer. */
export const longest_wait_ms = 2 ** 31 - 1;

/** A call that may go to its agent. */
export interface Asking {
  call: AgentModelCall;
  asked: AskedOfAgent;
  admitted: Admitted;
  /** The name of its thread. */
  thread: string | undefined;
  body: Uint8Array;
}

export function printerOf({ call: { format, sent }, admitted, thread }: Asking, run_id: string): Printer {
  const of = { model: admitted.agent.ref, run_id, created: Math.floor(Date.now() / 1000) };
  if (format === 'chat') return chatPrinter(of);
  const { previous_response_id: previous, conversation } = sent;
  return responsePrinter({
    ...of,
    id: responseId(run_id, thread),
    previous_id: typeof previous === 'string' ? previous : null,
    conversation: conversation === undefined || conversation === null ? null : (thread ?? null),
    is_kept: thread !== undefined,
  });
}

/** Why a call has no answer for its client. */
export function whyLeft({ call: { signal } }: Asking, stopping: AbortSignal): unknown {
  return signal.aborted && !stopping.aborted
    ? signal.reason
    : new Problem('starting', { detail: 'The service is stopping.' });
}
