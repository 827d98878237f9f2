import { guardrailsHeader } from '../../../models/guardrails/print-done.ts';
import type { Reply } from '../../../governance/http/answer/reply.ts';
import type { Ended, SentCall } from './send-call.ts';

/** The agent's own answer. Throws the error of a call without one. */
export function printEnded(ending: Ended, run_id: string, { guarded }: Pick<SentCall, 'guarded'>): Reply {
  if ('error' in ending) throw ending.error;
  const { status, content_type, retry_after, body } = ending.answer;
  const headers = {
    'content-type': content_type,
    'x-run-id': run_id,
    ...(guarded && guardrailsHeader(guarded.done)),
    ...(retry_after === undefined ? {} : { 'retry-after': retry_after }),
  };
  return { status, headers, body };
}
