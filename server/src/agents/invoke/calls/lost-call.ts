// The problems of calls without an answer. `run_status` tells the caller if a repeat is safe.
import { Problem } from '@gantry/contract/problems.ts';
import type { LastEnd } from '../../deploy/serving/serving.ts';

/** The run had begun, and its container is gone. */
export function interrupted(run_id: string, end: LastEnd | undefined): Problem {
  return new Problem('agent_unavailable', {
    detail: sentences(end?.detail, 'The container stopped or died before the run ended.'),
    fields: { run_id, run_status: 'interrupted', ...(end && { reason: end.reason }) },
  });
}

/** Its container is gone, or is older than the proof that a call did not begin. */
export function unknown(run_id: string, end: LastEnd | undefined): Problem {
  return new Problem('agent_unavailable', {
    detail: sentences(end?.detail, 'The service cannot tell whether the run began.'),
    fields: { run_id, run_status: 'unknown', ...(end && { reason: end.reason }) },
  });
}

/** `why` is the last refusal. Another refusal than that of an agent that is away stays as it is. */
export function notBegun(run_id: string, why: Problem): Problem {
  if (why.code !== 'agent_unavailable') return why;
  return new Problem('agent_unavailable', {
    detail: sentences(why.detail, 'The call did not begin, so it is safe to repeat it.'),
    ...(why.hint !== undefined && { hint: why.hint }),
    ...(why.retry_after_seconds !== undefined && { retry_after_seconds: why.retry_after_seconds }),
    fields: { ...why.fields, run_id, run_status: 'not_begun' },
  });
}

function sentences(first: string | undefined, second: string): string {
  return first === undefined ? second : `${first}${first.endsWith('.') ? '' : '.'} ${second}`;
}
