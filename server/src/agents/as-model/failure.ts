// The end of a call without an answer, as a refusal of the gateway.
import { Problem, type ProblemCode } from '@gantry/contract/problems.ts';
import { problemIn } from '../invoke/calls/outcome.ts';
import type { Answer } from '../invoke/answer.ts';

/** Codes that the service itself uses, and those of the wrapper that mean the same as one of them. */
const codes: Readonly<Record<string, ProblemCode>> = {
  agent_unavailable: 'agent_unavailable',
  agent_error: 'agent_error',
  budget_exceeded: 'budget_exceeded',
  budget_in_flight: 'budget_in_flight',
  cancelled: 'cancelled',
  file_refused: 'file_refused',
  guardrail_blocked: 'guardrail_blocked',
  starting: 'starting',
  thread_busy: 'thread_busy',
  too_many_runs: 'too_many_runs',
  run_cancelled: 'cancelled',
  body_too_large: 'too_large',
  invalid_request: 'invalid',
  invalid_input: 'invalid',
  nothing_to_resume: 'invalid',
  answer_refused: 'invalid',
  threads_not_kept: 'invalid',
  agent_not_ready: 'agent_unavailable',
  agent_not_loaded: 'agent_unavailable',
  draining: 'agent_unavailable',
  run_interrupted: 'agent_unavailable',
};

export function failureOf(code: string, detail: string): Problem {
  return new Problem(codes[code] ?? 'agent_error', { detail });
}

/** Of an answer that is a refusal. */
export function failureIn({ body }: Pick<Answer, 'body'>, retry_after?: string): Problem {
  const said = problemIn(body);
  const { code, detail } = failureOf(said?.code ?? '', said?.detail ?? 'The agent gave no answer.');
  return new Problem(code, { detail, ...(retry_after !== undefined && { retry_after_seconds: Number(retry_after) }) });
}
