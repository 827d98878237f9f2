import { Problem, problemDocument } from '@gantry/contract/problems.ts';

/** What stands for the result of a call whose container went away. */
export function interrupted(error: unknown) {
  const problem =
    error instanceof Problem
      ? error
      : new Problem('agent_unavailable', { detail: 'The connection to the agent broke before it answered.' });
  const document = { ...problemDocument(problem), status_of_run: 'interrupted' };
  return {
    status: problem.status,
    content_type: 'application/problem+json',
    body: Buffer.from(JSON.stringify(document)),
  };
}
